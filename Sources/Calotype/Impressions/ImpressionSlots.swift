import Foundation

/// The impressions of a table: a hash table of slots of 64 bytes, and a clock's hand that says which one gives way.
///
/// - Isolation: None; the table's lock guards it.
/// - Memory: 64 bytes for each impression, and 4 to 8 for each that there is room for. The system brings the pages as they
///   are touched.
final class ImpressionSlots {
    /// One impression, or none where the record's hash has no bytes: zeroed memory is slots that are free.
    struct Slot {
        var record = ImpressionRecord.none
        /// Whether it has been looked at since the hand passed.
        var isUsed = false
        /// The next slot of the chain, or of those that are free: its number counted from 1, as all of these; 0 ends it.
        var next: UInt32 = 0
        /// Tells the versions of the content apart; 0 if it isn't known.
        var version: UInt32 = 0
        var key = ImpressionKey(resource: 0, partition: 0)
    }

    let capacity: Int
    private(set) var count = 0
    /// Slots that have been in use so far.
    private var end = 0
    private var free: UInt32 = 0
    private var hand = 0
    /// Both `nil` until there is something to hold.
    private var slots: UnsafeMutablePointer<Slot>?
    private var heads: UnsafeMutablePointer<UInt32>?
    private let headCount: Int

    init(capacity: Int) {
        self.capacity = min(max(capacity, 0), 1 << 24)
        var headCount = 1
        while headCount < self.capacity { headCount *= 2 }
        self.headCount = headCount
    }

    deinit {
        Foundation.free(slots)
        Foundation.free(heads)
    }

    // MARK: One impression

    /// The slot of that key. Valid until the next change.
    func find(_ key: ImpressionKey) -> UnsafeMutablePointer<Slot>? {
        guard let slots, let heads else { return nil }
        var next = heads[head(of: key.resource)]
        while next != 0 {
            let slot = slots + Int(next - 1)
            if slot.pointee.key == key { return slot }
            next = slot.pointee.next
        }
        return nil
    }

    /// Files a record, in place of the key's own or, if there is no room, of one that hasn't been looked at for long.
    func insert(_ record: ImpressionRecord, _ key: ImpressionKey, version: UInt32) {
        guard capacity > 0 else { return }
        if let slot = find(key) {
            slot.pointee.record = record
            slot.pointee.version = version
            return
        }
        let (slots, heads) = memory()
        if count == capacity { makeRoom() }
        let number: UInt32
        if free != 0 {
            number = free
            free = slots[Int(number - 1)].next
        } else {
            end += 1
            number = UInt32(end)
        }
        let head = head(of: key.resource)
        slots[Int(number - 1)] = Slot(record: record, next: heads[head], version: version, key: key)
        heads[head] = number
        count += 1
    }

    // MARK: Removal

    /// Removes a resource's impressions in every partition: they are in one chain.
    func remove(resource: UInt64) {
        guard let slots, let heads else { return }
        var next = heads[head(of: resource)]
        while next != 0 {
            let number = next
            next = slots[Int(number - 1)].next
            if slots[Int(number - 1)].key.resource == resource { remove(number) }
        }
    }

    /// Removes a partition's impressions. Looks at all there are.
    func remove(partition: UInt64) {
        guard let slots else { return }
        for index in 0..<end where !slots[index].isFree && slots[index].key.partition == partition {
            remove(UInt32(index + 1))
        }
    }

    /// Gives the memory back.
    func removeAll() {
        Foundation.free(slots)
        Foundation.free(heads)
        (slots, heads) = (nil, nil)
        (count, end, free, hand) = (0, 0, 0, 0)
    }

    private func remove(_ number: UInt32) {
        guard let slots, let heads else { return }
        let slot = slots + Int(number - 1)
        let head = head(of: slot.pointee.key.resource)
        if heads[head] == number {
            heads[head] = slot.pointee.next
        } else {
            var previous = slots + Int(heads[head] - 1)
            while previous.pointee.next != number { previous = slots + Int(previous.pointee.next - 1) }
            previous.pointee.next = slot.pointee.next
        }
        slot.pointee = Slot(next: free)
        free = number
        count -= 1
    }

    /// Removes one by the clock algorithm: the hand spares what has been looked at since it last passed. All slots are
    /// taken, so it comes to one that it doesn't spare in the second round at the latest.
    private func makeRoom() {
        guard let slots else { return }
        while true {
            let index = hand
            hand = (hand + 1) % capacity
            guard slots[index].isUsed else { return remove(UInt32(index + 1)) }
            slots[index].isUsed = false
        }
    }

    // MARK: Memory

    private func head(of resource: UInt64) -> Int { Int(truncatingIfNeeded: resource) & (headCount - 1) }

    private func memory() -> (UnsafeMutablePointer<Slot>, UnsafeMutablePointer<UInt32>) {
        if let slots, let heads { return (slots, heads) }
        guard let slotMemory = calloc(capacity, MemoryLayout<Slot>.stride),
            let headMemory = calloc(headCount, MemoryLayout<UInt32>.stride)
        else { fatalError("Out of memory: room for \(capacity) impressions.") }
        // All zeros are valid slots and heads: numbers, and false.
        let slots = slotMemory.bindMemory(to: Slot.self, capacity: capacity)
        let heads = headMemory.bindMemory(to: UInt32.self, capacity: headCount)
        (self.slots, self.heads) = (slots, heads)
        return (slots, heads)
    }
}

extension ImpressionSlots.Slot {
    fileprivate var isFree: Bool { record.hash.byteCount == 0 }
}

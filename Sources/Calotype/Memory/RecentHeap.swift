/// The recent entries, least recently used on top.
///
/// A hit only notes the time in the entry; the heap catches up when the entry comes to the top. That gives the exact
/// order of a list that is changed on every hit, without changing anything on a hit.
///
/// - Complexity: Each operation takes logarithmic time, amortised over hits and insertions.
struct RecentHeap {
    private struct Item {
        var lastUse: UInt64
        /// Breaks ties in the order of insertion.
        let sequence: UInt64
        let entry: MemoryEntry.Pointer

        func precedes(_ other: Item) -> Bool {
            (lastUse, sequence) < (other.lastUse, other.sequence)
        }
    }

    private var items: [Item] = []
    private var nextSequence: UInt64 = 0

    var isEmpty: Bool { items.isEmpty }

    mutating func push(_ entry: MemoryEntry.Pointer) {
        let item = Item(lastUse: entry.pointee.currentUse.lastUse, sequence: nextSequence, entry: entry)
        nextSequence += 1
        items.append(item)
        siftUp(items.count - 1)
    }

    /// Removes the least recently used entry.
    mutating func pop() -> MemoryEntry.Pointer? {
        while let top = items.first {
            let lastUse = top.entry.pointee.currentUse.lastUse
            guard lastUse > top.lastUse else {
                remove(top.entry)
                return top.entry
            }
            items[0] = Item(lastUse: lastUse, sequence: nextSequence, entry: top.entry)
            nextSequence += 1
            siftDown(0)
        }
        return nil
    }

    mutating func remove(_ entry: MemoryEntry.Pointer) {
        let index = entry.pointee.heapIndex
        entry.pointee.heapIndex = -1
        let moved = items.removeLast()
        guard index < items.count else { return }
        items[index] = moved
        moved.entry.pointee.heapIndex = index
        siftDown(index)
        siftUp(index)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        let item = items[index]
        while index > 0 {
            let parent = (index - 1) / 2
            guard item.precedes(items[parent]) else { break }
            place(items[parent], at: index)
            index = parent
        }
        place(item, at: index)
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        let item = items[index]
        while true {
            var child = 2 * index + 1
            guard child < items.count else { break }
            if child + 1 < items.count, items[child + 1].precedes(items[child]) { child += 1 }
            guard items[child].precedes(item) else { break }
            place(items[child], at: index)
            index = child
        }
        place(item, at: index)
    }

    private mutating func place(_ item: Item, at index: Int) {
        items[index] = item
        item.entry.pointee.heapIndex = index
    }
}

/// Remembers what has been removed since when, so that work begun before a removal can't bring back what it erased.
///
/// A cache keeps one beside its entries, under the same lock: removing and checking are then in one order for all. Of what
/// was removed it keeps the digests alone.
package struct RemovalLog {
    private var count: UInt64 = 0
    private var everything: UInt64 = 0
    private var partitions: [Digest: UInt64] = [:]
    private var resources: [Digest: UInt64] = [:]
    /// Removals up to this one aren't known singly any more: work that is older is refused, whatever it is.
    private var floor: UInt64 = 0

    /// More removals than this within the life of one load are unlikely; the log stays small.
    private static let capacity = 1_024

    package init() {}

    /// The moment now.
    package var epoch: StoreEpoch { StoreEpoch(count) }

    package mutating func recordEverything() {
        count += 1
        everything = count
        partitions = [:]
        resources = [:]
    }

    package mutating func record(_ partition: Partition) {
        count += 1
        partitions[partition.digest] = count
        trim()
    }

    package mutating func record(_ resource: ResourceID) {
        count += 1
        resources[resource.digest] = count
        trim()
    }

    /// Whether work begun at `epoch` may still leave something behind.
    ///
    /// - Parameter resource: `nil` asks about removals of partitions and of everything alone.
    package func permits(_ epoch: StoreEpoch, partition: Digest?, resource: Digest?) -> Bool {
        if epoch.number == count { return true }
        guard epoch.number >= max(everything, floor) else { return false }
        if let partition, let removal = partitions[partition], removal > epoch.number { return false }
        if let resource, let removal = resources[resource], removal > epoch.number { return false }
        return true
    }

    private mutating func trim() {
        guard partitions.count + resources.count > Self.capacity else { return }
        floor = count
        partitions = [:]
        resources = [:]
    }
}

/// A store that keeps impressions from one launch to the next, beside its responses.
///
/// They stay when responses are evicted, and go with what ``ResponseStore`` removes by name: a resource in every partition,
/// a partition, everything; not with a single variant.
///
/// A pipeline whose store is one loads from it what it has, and hands over what is new.
package protocol ImpressionStore: ResponseStore {
    /// The impressions that were kept last, and the key that they are filed by.
    ///
    /// - Parameter limit: How many to bring at most.
    func impressions(limit: Int) async throws -> StoredImpressions

    /// Takes an impression, in place of the one it has of that resource in that partition, if any.
    ///
    /// Called on the thread that has decoded the image: it notes what is to be written, and returns. A store that can't
    /// keep up drops impressions.
    ///
    /// - Parameters:
    ///   - resource: One that has an ``ImpressionKey`` by any key.
    ///   - partition: One that outlives the process.
    ///   - epoch: If the partition or the resource has been removed since, the impression is refused.
    func keep(
        _ impression: ImpressionRecord, of resource: ResourceID, in partition: Partition?, since epoch: StoreEpoch)
}

/// What a store has kept.
package struct StoredImpressions: Sendable {
    /// The store's own: it is drawn once, and kept with the impressions.
    package var key: DigestKey
    /// The least recently kept first.
    package var entries: [(key: ImpressionKey, record: ImpressionRecord)]

    package init(key: DigestKey, entries: [(key: ImpressionKey, record: ImpressionRecord)]) {
        self.key = key
        self.entries = entries
    }
}

/// What an impression is filed by: digests of its resource and its partition, by a key of the table's or the store's. No
/// URL and no name can be read from them.
package struct ImpressionKey: Hashable, Sendable {
    package let resource: UInt64
    /// 0 for none.
    package let partition: UInt64

    package init(resource: UInt64, partition: UInt64) {
        self.resource = resource
        self.partition = partition
    }

    /// - Returns: `nil` if the resource has no name to be filed by.
    package init?(_ resource: ResourceID, in partition: Partition?, by key: DigestKey) {
        guard let digest = resource.digest(by: key) else { return nil }
        self.init(resource: digest.low, partition: Self.partition(partition, by: key))
    }

    package static func partition(_ partition: Partition?, by key: DigestKey) -> UInt64 {
        partition.map { $0.digest(by: key).low | 1 } ?? 0
    }
}

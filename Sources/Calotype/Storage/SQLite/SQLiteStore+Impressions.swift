/// Impressions have a table of their own in the index. They aren't counted in the limit on bytes, but have one on their
/// number: some 60 bytes each.
extension SQLiteStore: ImpressionStore {
    /// More than a table in memory holds unless it is told to.
    static let impressionLimit = 100_000

    package func impressions(limit: Int) async throws -> StoredImpressions {
        try await read { try $0.impressions(limit: limit) }
    }

    package func keep(
        _ impression: ImpressionRecord, of resource: ResourceID, in partition: Partition?, since epoch: StoreEpoch
    ) {
        let writer = writer
        writer.post { index in
            guard writer.permits(epoch, partition, resource) else { return }
            try index.keep(impression, of: resource, in: partition, limit: Self.impressionLimit)
        }
    }
}

extension StoreConnection {
    /// The impressions that were kept last, the latest at the end.
    func impressions(limit: Int) throws -> StoredImpressions {
        let rows = try database.statement(.impressions)
        rows.bind(1, Int64(limit))
        var entries: [(key: ImpressionKey, record: ImpressionRecord)] = []
        while try rows.step() {
            // What isn't a record is passed over: an impression is nothing that is missed.
            guard let record = rows.withBytes(2, { ImpressionRecord($0) }) else { continue }
            let key = ImpressionKey(
                resource: UInt64(bitPattern: rows.number(0)), partition: UInt64(bitPattern: rows.number(1)))
            entries.append((key, record))
        }
        entries.reverse()
        return StoredImpressions(key: digestKey, entries: entries)
    }
}

extension StoreIndex {
    fileprivate func keep(
        _ impression: ImpressionRecord, of resource: ResourceID, in partition: Partition?, limit: Int
    ) throws {
        guard let key = ImpressionKey(resource, in: partition, by: connection.digestKey) else { return }
        let row = try connection.database.statement(.keepImpression)
        row.bind(1, Int64(bitPattern: key.resource))
        row.bind(2, Int64(bitPattern: key.partition))
        row.bind(3, copying: impression.bytes)
        try row.run()
        let surplus = try connection.database.statement(.dropImpressions)
        surplus.bind(1, Int64(limit))
        try surplus.run()
    }

    func removeImpressions(of resource: ResourceID) throws {
        guard let digest = resource.digest(by: connection.digestKey) else { return }
        let rows = try connection.database.statement(.deleteImpressionsOfResource)
        rows.bind(1, Int64(bitPattern: digest.low))
        try rows.run()
    }

    func removeImpressions(in partition: Partition) throws {
        let rows = try connection.database.statement(.deleteImpressionsOfPartition)
        rows.bind(1, Int64(bitPattern: ImpressionKey.partition(partition, by: connection.digestKey)))
        try rows.run()
    }
}

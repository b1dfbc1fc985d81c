/// Makes the impressions of what has been decoded, for a table and for the store that keeps them.
///
/// - Isolation: Blocks for some tens of microseconds; called on a thread of the decode queue, once the image has been handed
///   over.
struct ImpressionMaker: Sendable {
    let table: ImpressionTable
    /// Where impressions outlast the process, if they do.
    let store: (any ImpressionStore)?

    /// Makes the impression of an image, if there is none of this version of its content.
    ///
    /// - Parameters:
    ///   - image: As it was decoded, before any processor.
    ///   - version: The digest of the bytes.
    ///   - epoch: The table's, from before the load began.
    func note(
        _ image: DecodedImage, of resource: ResourceID, in partition: Partition?, version: Digest,
        since epoch: StoreEpoch
    ) {
        let version = UInt32(truncatingIfNeeded: version.low) | 1
        guard ImpressionRecord.isWorthwhile(image), table.wants(resource, in: partition, version: version) else {
            return
        }
        let record = ImpressionRecord(image)
        // Before the table takes it: a removal after that is one after this for the store as well.
        let storeEpoch = store?.epoch()
        guard table.insert(record, of: resource, in: partition, version: version, since: epoch),
            let store, let storeEpoch, partition?.isLasting != false
        else { return }
        store.keep(record, of: resource, in: partition, since: storeEpoch)
    }

    /// Loads what the store has kept, unless that is under way or done.
    ///
    /// - Returns: The work; `nil` if there is no such store.
    func load(onFault: @escaping @Sendable (any Error) -> Void) -> Task<Void, Never>? {
        store.map { table.load(from: $0, onFault: onFault) }
    }
}

package import Foundation

/// A store that needs neither I/O nor a wait to say what it has and to take a small body.
///
/// What waits costs a load a frame for each function on the way, and a look at where to go on, even if there is nothing to
/// wait for: 2,500 instructions for these two. It lasts no longer than the process, so digests name everything.
package protocol PromptStore: ResponseStore {
    /// As ``ResponseStore/responses(for:)``.
    func responsesAtOnce(for key: Digest) -> [StoredResponse]

    /// As ``ResponseStore/add(_:for:resource:metadata:replacing:since:)``, but for what it returns: the ID alone.
    func addAtOnce(
        _ body: Data, for key: Digest, partition: Digest?, resource: Digest, metadata: Data,
        replacing replaced: StoredResponse.ID?, since epoch: StoreEpoch
    ) -> StoredResponse.ID?
}

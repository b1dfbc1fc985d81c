import Foundation

/// The bytes of a resource, complete and recognised as an image, with what the layers above need to know of them.
struct FetchedResource: Sendable {
    /// The whole file.
    var data: Data
    /// What the first bytes say.
    var header: ImageHeader
    /// The digest of `data`: the content version.
    var version: Digest
    /// When renditions of it go stale.
    var freshness: Freshness
    /// Where it is stored, if it is.
    var stored: StoredResponse.ID?
    /// What has been found out so far: the layer, the cache's reason, bytes and times.
    var report: LoadReport
    /// Whether it is stale, and may be shown only because it is being revalidated.
    var needsRevalidation = false
}

import Foundation

/// The bytes of a resource, complete and recognised as an image, with what the layers above need to know of them.
final class FetchedResource: Sendable {
    /// The whole file.
    let data: Data
    /// What the first bytes say.
    let header: ImageHeader
    /// The digest of `data`: the content version.
    let version: Digest
    /// When renditions of it go stale.
    let freshness: Freshness
    /// When the server said so last, in seconds since the reference date: of two contents the later one counts.
    let responseTime: Double
    /// Where it is stored, if it is.
    let stored: StoredResponse.ID?
    /// What has been done so far.
    let work: LoadReport.Work
    /// Whether it is stale, and may be shown only because it is being revalidated.
    let needsRevalidation: Bool

    /// - Parameter version: The digest of `data`, if it is known.
    init(
        data: Data, header: ImageHeader, version: Digest? = nil, freshness: Freshness, responseTime: Date,
        stored: StoredResponse.ID?, work: consuming LoadReport.Work, needsRevalidation: Bool = false
    ) {
        self.data = data
        self.header = header
        self.version = version ?? data.withUnsafeBytes { Digest(bytes: $0) }
        self.freshness = freshness
        self.responseTime = responseTime.timeIntervalSinceReferenceDate
        self.stored = stored
        work.bodyByteCount = Int64(data.count)
        work.format = header.format
        self.work = consume work
        self.needsRevalidation = needsRevalidation
    }
}

/// Why a store couldn't do its work, or had to give up what it had. Free of names: no path, URL or key.
public enum StoreError: Error, Equatable, CustomStringConvertible {
    /// The index couldn't be read. It has been set aside, and the store begins anew.
    case damagedIndex
    /// The index is of a format that isn't used any more. It has been set aside, and the store begins anew.
    case otherFormat
    /// The index was written by a newer version, and isn't touched.
    case newerFormat(found: Int, supported: Int)
    /// An entry's bytes aren't those that were stored. It has been removed.
    case damagedEntry
    /// An entry's file has gone. The entry has been removed.
    case missingBody
    /// More bodies wait to be written than may.
    case stagingFull(byteLimit: Int)
    /// Erased bytes may still stand in the index's log: somebody reads it. They are erased once that has ended.
    case erasureDelayed
    /// The store has been closed.
    case closed
    /// The store can't tell what it holds: a `URLCache` can't be listed.
    case notCounted
    /// The `URLCache` goes on giving out what was to be removed.
    case notRemoved

    /// What happened, and what it means.
    public var description: String {
        switch self {
        case .damagedIndex: "The index of the store is damaged. It has been set aside, and the store begins anew."
        case .otherFormat:
            "The index of the store has another format. It has been set aside, and the store begins anew."
        case .newerFormat(let found, let supported):
            "The store has format \(found), and this version knows \(supported) at most. It isn't touched, and nothing "
                + "is stored. Use a newer version, or another folder."
        case .damagedEntry: "A stored response is damaged, and has been removed."
        case .missingBody: "The file of a stored response is gone, and the response has been removed."
        case .stagingFull(let limit):
            "More than \(limit) bytes wait to be written. The response isn't stored."
        case .erasureDelayed: "Erased bytes may still stand in the log of the index, which somebody reads."
        case .closed: "The store has been closed."
        case .notCounted: "A URLCache can't be listed. Its own properties say how much it holds."
        case .notRemoved:
            "The URLCache goes on giving out what was to be removed. Empty it with removeAllCachedResponses()."
        }
    }
}

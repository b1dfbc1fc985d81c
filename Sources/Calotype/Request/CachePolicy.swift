extension ImageRequest {
    /// Where a request may be answered from.
    public enum CachePolicy: Hashable, Sendable {
        /// As RFC 9111 decides. A stale picture is shown at once and revalidated in the background, unless its
        /// response asks for validation first (`no-cache`, `must-revalidate`).
        case http
        /// Whatever is in memory or stored, stale or not; the network only on a miss.
        case storedElseLoad
        /// Whatever is in memory or stored, stale or not; never the network. A miss fails with `notStored`.
        case storedOnly
        /// Always asks the server, conditionally where something is stored. What is in memory is a preview meanwhile.
        case revalidate
        /// Always loads anew and unconditionally, and stores the result.
        case reload
        /// The URL names its content: what is stored stays fresh for ever.
        case immutable
        /// Reads and writes no cache. The pixels live as long as somebody shows them.
        case noStore
    }

    /// How urgent a request is. It can change while the request is under way and is no part of its identity.
    public enum Priority: Int, Comparable, Hashable, Sendable, CaseIterable {
        /// Speculative work.
        case veryLow
        /// Prefetching.
        case low
        /// The default.
        case normal
        /// Visible now.
        case high
        /// The one thing that is waited for.
        case veryHigh

        /// Less urgent first.
        public static func < (lhs: Priority, rhs: Priority) -> Bool { lhs.rawValue < rhs.rawValue }
    }
}

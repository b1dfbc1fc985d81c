/// A part of the caches that is kept apart and can be erased on its own: a signed-in account, say.
///
/// Memory, stored responses and running downloads are never shared across partitions.
public struct Partition: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible,
    CustomReflectable
{
    /// The name given by the app. It may identify a person: it is kept out of descriptions.
    public let name: String
    package let digest: Digest
    /// Whether the name means the same to another process. One without a name is never written to disk: nobody could
    /// ask for it to be erased.
    package let isLasting: Bool

    /// Makes the partition of that name.
    public init(_ name: String) {
        self.name = name
        self.digest = Digest(name)
        isLasting = true
    }

    /// The partition of whoever sends these credentials. It has no name to speak of, and lasts as long as the process.
    package init(credentials: Digest) {
        name = ""
        digest = credentials
        isLasting = false
    }

    /// Makes the partition of that name.
    public init(stringLiteral name: String) {
        self.init(name)
    }

    /// Two partitions are one if their names are.
    public static func == (lhs: Partition, rhs: Partition) -> Bool { lhs.digest == rhs.digest }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Redacted: a short tag that differs between partitions of one process.
    public var description: String { "partition #\(String(digest.low & 0xffff, radix: 16))" }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }

    /// The digest of the name by another key. Where there is none, it is what identifies the partition in this process.
    package func digest(by key: DigestKey) -> Digest {
        var hash = DigestBuilder(by: key)
        if isLasting { hash.append(name) } else { hash.append(digest) }
        return hash.finish()
    }
}

import Foundation

/// A load as it may be logged: its number, and the scheme and host that it loads from.
public struct LoadLabel: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Numbers the loads of a process. Work that several loads share goes by the number of the one that began it.
    public let number: UInt64
    /// Redacted only when it is asked for: nobody may.
    private let url: URL?

    init(_ number: UInt64, _ url: URL?) {
        self.number = number
        self.url = url
    }

    /// The scheme and host; `nil` for what has no URL.
    public var source: RedactedURL? { url.map(RedactedURL.init) }

    /// "#12 https://img.example.com".
    public var description: String { "#\(number) \(source?.description ?? "image")" }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }

    /// A load has one label.
    public static func == (lhs: LoadLabel, rhs: LoadLabel) -> Bool { lhs.number == rhs.number }

    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

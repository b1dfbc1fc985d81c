/// When a rendition goes stale, and what happens then.
public struct Freshness: Sendable, Hashable {
    /// When it goes stale, in seconds since the reference date.
    package var staleAt: Double
    /// Whether it must be validated before it is shown again as final, once it is stale.
    package var validatesFirst: Bool
    /// Whether it may live only as long as somebody shows it, as `no-store` asks.
    package var isTransient: Bool

    package init(staleAt: Double, validatesFirst: Bool = false, isTransient: Bool = false) {
        self.staleAt = staleAt
        self.validatesFirst = validatesFirst
        self.isTransient = isTransient
    }

    /// For ever fresh: what the app inserted, or a URL that names its content.
    package static let immutable = Freshness(staleAt: .infinity)
    /// Used while somebody shows it, and never as an answer.
    package static let transient = Freshness(staleAt: -.infinity, validatesFirst: true, isTransient: true)
}

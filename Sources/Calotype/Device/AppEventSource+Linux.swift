#if os(Linux)
/// Nobody suspends programs here, or locks their files: there is nothing to hear of.
final class AppEventSource: Sendable {
    /// - Returns: `nil`.
    init?(_ report: @escaping @Sendable (AppEvent) async -> Void) { nil }
}
#endif

/// What can be said of the network without sending anything.
public struct NetworkStatus: Sendable, Hashable {
    /// Whether there is a way out at all. It says nothing of any server.
    public var isAvailable: Bool
    /// Whether the user has asked to spare the network: Low Data Mode.
    public var isConstrained: Bool
    /// Whether it may cost the user: cellular, a personal hotspot.
    public var isExpensive: Bool

    /// Makes a status; a network that is there and free to use unless told otherwise.
    public init(isAvailable: Bool = true, isConstrained: Bool = false, isExpensive: Bool = false) {
        self.isAvailable = isAvailable
        self.isConstrained = isConstrained
        self.isExpensive = isExpensive
    }
}

/// Watches the network.
///
/// - Isolation: Any thread. Nothing here waits.
public protocol NetworkMonitor: Sendable {
    /// The network now. The first call may be what starts the watching.
    var status: NetworkStatus { get }

    /// Calls `handler` after each change, one call at a time and in their order, on any thread, until the observation is
    /// let go.
    func observe(_ handler: @escaping @Sendable (_ previous: NetworkStatus, _ current: NetworkStatus) -> Void)
        -> StatusObservation
}

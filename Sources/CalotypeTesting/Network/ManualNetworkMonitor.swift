public import Calotype

/// A network that is as a test says.
///
/// ```swift
/// let network = ManualNetworkMonitor(NetworkStatus(isAvailable: false))
/// configuration.network = network
/// network.status.isAvailable = true       // whoever waits for the network goes on
/// ```
///
/// - Isolation: Any thread may read it; it is set by one at a time.
public final class ManualNetworkMonitor: NetworkMonitor {
    private let board: StatusBoard<NetworkStatus>

    /// Makes a monitor that says this.
    public init(_ status: NetworkStatus = NetworkStatus()) {
        board = StatusBoard(status)
    }

    /// The network now. Setting it calls those who observe it before it returns.
    public var status: NetworkStatus {
        get { board.status }
        set { board.set(newValue) }
    }

    /// How many observe it.
    public var observerCount: Int { board.observerCount }

    /// See `NetworkMonitor`.
    public func observe(
        _ handler: @escaping @Sendable (_ previous: NetworkStatus, _ current: NetworkStatus) -> Void
    ) -> StatusObservation {
        board.observe(handler)
    }
}

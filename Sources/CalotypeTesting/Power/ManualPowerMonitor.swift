public import Calotype

/// A device that can spare what a test says.
///
/// ```swift
/// let power = ManualPowerMonitor()
/// configuration.power = power
/// power.status.heat = .serious            // nothing is prefetched any more
/// ```
///
/// - Isolation: Any thread may read it; it is set by one at a time.
public final class ManualPowerMonitor: PowerMonitor {
    private let board: StatusBoard<PowerStatus>

    /// Makes a monitor that says this.
    public init(_ status: PowerStatus = PowerStatus()) {
        board = StatusBoard(status)
    }

    /// What the device can spare now. Setting it calls those who observe it before it returns.
    public var status: PowerStatus {
        get { board.status }
        set { board.set(newValue) }
    }

    /// How many observe it.
    public var observerCount: Int { board.observerCount }

    /// See `PowerMonitor`.
    public func observe(
        _ handler: @escaping @Sendable (_ previous: PowerStatus, _ current: PowerStatus) -> Void
    ) -> StatusObservation {
        board.observe(handler)
    }
}

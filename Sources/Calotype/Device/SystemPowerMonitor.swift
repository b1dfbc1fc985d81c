import Foundation
import Synchronization

/// What the system says of heat and of the battery on Apple platforms. Elsewhere the device can always spare everything.
///
/// - Isolation: Any thread.
/// - Owns: one watch, from the first question or observation until the last reference goes.
public final class SystemPowerMonitor: PowerMonitor {
    /// The one that pipelines share unless they are given another.
    public static let shared = SystemPowerMonitor()

    private let board = StatusBoard(PowerStatus())
    private let watch = Mutex<PowerWatch?>(nil)

    /// Makes a monitor that watches nothing yet.
    public init() {}

    /// What the device can spare now.
    public var status: PowerStatus {
        start()
        return board.status
    }

    /// See ``PowerMonitor/observe(_:)``.
    public func observe(
        _ handler: @escaping @Sendable (_ previous: PowerStatus, _ current: PowerStatus) -> Void
    ) -> StatusObservation {
        start()
        return board.observe(handler)
    }

    private func start() {
        watch.withLock { watch in
            if watch == nil { watch = PowerWatch(board) }
        }
    }
}

#if canImport(Darwin)
/// Asks the process's information whenever that has changed.
///
/// `@unchecked Sendable`: `observations` is set once, in `init`, and then only let go of.
private final class PowerWatch: @unchecked Sendable {
    private let observations: [any NSObjectProtocol]

    init(_ board: StatusBoard<PowerStatus>) {
        // The board is set by one at a time; notifications come on any thread.
        let queue = DispatchQueue(label: "Calotype power monitor")
        let names = [ProcessInfo.thermalStateDidChangeNotification, .NSProcessInfoPowerStateDidChange]
        observations = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                queue.async { board.set(PowerStatus.ofThisDevice) }
            }
        }
        // After the observation, so that no change is missed; and asking is what makes the system tell of heat at all.
        queue.sync { board.set(PowerStatus.ofThisDevice) }
    }

    deinit {
        for observation in observations { NotificationCenter.default.removeObserver(observation) }
    }
}

extension PowerStatus {
    fileprivate static var ofThisDevice: PowerStatus {
        let process = ProcessInfo.processInfo
        let heat: Heat =
            switch process.thermalState {
            case .nominal: .nominal
            case .fair: .fair
            case .serious: .serious
            case .critical: .critical
            @unknown default: .fair
            }
        return PowerStatus(heat: heat, isLowPowerModeEnabled: process.isLowPowerModeEnabled)
    }
}
#else
/// There is nothing to watch here.
private final class PowerWatch: Sendable {
    init(_ board: StatusBoard<PowerStatus>) {}
}
#endif

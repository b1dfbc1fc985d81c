#if canImport(Darwin)
import Foundation

/// Where the system says what becomes of the app: UIKit's notifications, observed by their names, so that nothing here needs
/// UIKit. Where there is no UIKit they don't come.
///
/// `@unchecked Sendable`: `observations` is set once, in `init`, and then only let go of.
final class AppEventSource: @unchecked Sendable {
    private static let names: [(event: AppEvent, name: String)] = [
        (.enteredBackground, "UIApplicationDidEnterBackgroundNotification"),
        (.protectedDataWillBecomeUnavailable, "UIApplicationProtectedDataWillBecomeUnavailable"),
    ]

    private let observations: [any NSObjectProtocol]

    /// Makes a source that calls `report` for each event, and asks the system to let the process run until that returns.
    init?(_ report: @escaping @Sendable (AppEvent) async -> Void) {
        observations = Self.names.map { event, name in
            NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
                Self.stayAwake { await report(event) }
            }
        }
    }

    deinit {
        for observation in observations { NotificationCenter.default.removeObserver(observation) }
    }

    private static func stayAwake(_ work: @escaping @Sendable () async -> Void) {
        let end = DispatchSemaphore(value: 0)
        Task {
            await work()
            end.signal()
        }
        #if !os(macOS)
        ProcessInfo.processInfo.performExpiringActivity(withReason: "Images: writing what waits") { isExpired in
            // The process runs for as long as this doesn't return, on a thread that may block. It is called again, or at
            // once like that, where there is no time left: what is under way then is halted with the process, which the
            // store withstands.
            if isExpired { end.signal() } else { end.wait() }
        }
        #endif
    }
}
#endif

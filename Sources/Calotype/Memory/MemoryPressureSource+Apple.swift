#if canImport(Darwin)
import Dispatch
import Foundation

/// Where the system says that memory runs short: the kernel's levels, and UIKit's notification where there is UIKit.
///
/// The notification is observed by its name, so that nothing here needs UIKit. It comes when the process is in danger
/// itself, and counts as critical.
///
/// `@unchecked Sendable`: both properties are set once, in `init`, and then only let go of.
///
/// - Owns: two dispatch sources and an observation, which end with it.
final class MemoryPressureSource: @unchecked Sendable {
    private let sources: [any DispatchSourceMemoryPressure]
    private let observation: any NSObjectProtocol

    /// Makes a source that calls `report` on a queue of the system's or, for the notification, on the main thread.
    init?(_ report: @escaping @Sendable (MemoryPressure.Level) -> Void) {
        func source(
            _ event: DispatchSource.MemoryPressureEvent, _ level: MemoryPressure.Level
        ) -> any DispatchSourceMemoryPressure {
            let source = DispatchSource.makeMemoryPressureSource(eventMask: event, queue: .global(qos: .utility))
            source.setEventHandler { report(level) }
            source.activate()
            return source
        }
        sources = [source(.warning, .warning), source(.critical, .critical)]
        observation = NotificationCenter.default.addObserver(
            forName: Notification.Name("UIApplicationDidReceiveMemoryWarningNotification"), object: nil, queue: nil
        ) { _ in report(.critical) }
    }

    deinit {
        for source in sources { source.cancel() }
        NotificationCenter.default.removeObserver(observation)
    }
}
#endif

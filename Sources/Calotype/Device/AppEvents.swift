import Synchronization

/// What the system tells an app of its life, as far as caches have to do with it.
enum AppEvent: Sendable, Hashable, CaseIterable {
    /// The app isn't on screen any more, and will soon be suspended; then it may be ended without another word.
    case enteredBackground
    /// The device has been locked: files under complete protection can't be read soon.
    case protectedDataWillBecomeUnavailable
}

/// What has something to put in order when an app's life changes.
protocol AppEventResponder: AnyObject, Sendable {
    /// Called on no particular thread, with no lock held. The app is kept awake until it returns, as far as the system
    /// lets it.
    func respond(to event: AppEvent) async
}

/// Passes on what becomes of the app to whatever has something to put in order.
///
/// - Isolation: Any thread.
/// - Owns: the process's one source, from the first responder on.
final class AppEventCenter: Sendable {
    static let shared = AppEventCenter { center in
        AppEventSource { [weak center] event in await center?.report(event) }
    }

    private let responders = Mutex(WeakList<any AppEventResponder>())
    private let source = Mutex<AppEventSource?>(nil)

    /// - Parameter makeSource: Makes the source, which is to call ``report(_:)``.
    init(_ makeSource: (AppEventCenter) -> AppEventSource?) {
        let made = makeSource(self)
        source.withLock { $0 = made }
    }

    /// Tells `responder` from now on, as long as it lives.
    func add(_ responder: any AppEventResponder) {
        responders.withLock { $0.append(responder) }
    }

    /// Tells all of them, and returns once they have done what is to be done.
    func report(_ event: AppEvent) async {
        // Held while they are told: the last reference may go here, but not under the lock.
        let responders = responders.withLock { $0.elements }
        await withTaskGroup { group in
            for responder in responders { group.addTask { await responder.respond(to: event) } }
        }
    }
}

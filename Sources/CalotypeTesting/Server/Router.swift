import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// Finds the script for a request.
///
/// - Isolation: Any thread; scripts run outside the lock.
final class Router: Sendable {
    private struct Routes: Sendable {
        var exact: [String: LoopbackServer.Handler] = [:]
        var prefixes: [(prefix: String, handler: LoopbackServer.Handler)] = []
        var fallback: LoopbackServer.Handler = { _ in .status(404) }
        var streaming: (@Sendable (LoopbackServer.StreamedRequest) -> ResponseStream)?
    }

    private let routes = Mutex(Routes())

    func set(_ path: String, _ handler: @escaping LoopbackServer.Handler) {
        routes.withLock { $0.exact[path] = handler }
    }

    func set(prefix: String, _ handler: @escaping LoopbackServer.Handler) {
        routes.withLock { routes in
            routes.prefixes.removeAll { $0.prefix == prefix }
            routes.prefixes.append((prefix, handler))
            routes.prefixes.sort { $0.prefix.utf8.count > $1.prefix.utf8.count }
        }
    }

    func set(fallback: @escaping LoopbackServer.Handler) {
        routes.withLock { $0.fallback = fallback }
    }

    /// What answers every request; `nil` if scripts do.
    var streaming: (@Sendable (LoopbackServer.StreamedRequest) -> ResponseStream)? {
        get { routes.withLock { $0.streaming } }
        set { routes.withLock { $0.streaming = newValue } }
    }

    /// Forgets everything: a script may hold the server that holds it.
    func removeAll() {
        routes.withLock { $0 = Routes() }
    }

    func response(to request: LoopbackServer.Request) -> LoopbackServer.Response {
        let handler = routes.withLock { routes in
            routes.exact[request.path]
                ?? routes.prefixes.first { request.path.hasPrefix($0.prefix) }?.handler
                ?? routes.fallback
        }
        return handler(request)
    }
}

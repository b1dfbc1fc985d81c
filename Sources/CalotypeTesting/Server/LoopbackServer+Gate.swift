extension LoopbackServer {
    /// Holds responses until a test opens it.
    ///
    /// ```swift
    /// let gate = LoopbackServer.Gate()
    /// server.respond(to: "/cat.png", with: .ok(png).gated(gate, afterBodyBytes: 100))
    /// let load = pipeline.load(request)
    /// try await gate.waitUntilHeld()      // 100 bytes are out, the rest waits
    /// gate.open()
    /// ```
    ///
    /// - Isolation: Any thread.
    public final class Gate: Sendable {
        private struct State: Sendable {
            var isOpen = false
            var nextTicket = 0
            var held: [Int: @Sendable () -> Void] = [:]
        }

        private let monitor = Monitor(State())

        /// Makes a closed gate.
        public init() {}

        /// Lets through whatever waits, and everything that comes later.
        public func open() {
            let held = monitor.withLock { state in
                state.isOpen = true
                defer { state.held = [:] }
                return state.held.sorted { $0.key < $1.key }
            }
            for (_, passed) in held { passed() }
        }

        /// Whether the gate has been opened.
        public var isOpen: Bool { monitor.withLock { $0.isOpen } }

        /// The number of responses that wait here now. Those whose client has left don't count.
        public var heldCount: Int { monitor.withLock { $0.held.count } }

        /// Suspends until at least `count` responses wait here.
        ///
        /// - Parameter timeout: `nil` waits for ever.
        /// - Throws: ``WaitError``, or `CancellationError` if the task is cancelled.
        public func waitUntilHeld(count: Int = 1, timeout: Duration? = .seconds(60)) async throws {
            try await monitor.wait(
                timeout: timeout,
                explain: { "waited for \(count) responses at a gate; have \($0.held.count)" },
                until: { state, _ in state.held.count >= count ? () : nil })
        }

        /// Waits for the opening.
        ///
        /// - Returns: A ticket for ``leave(_:)``, or `nil` if the gate is open and `passed` won't be called.
        func hold(_ passed: @escaping @Sendable () -> Void) -> Int? {
            monitor.withLock { state in
                if state.isOpen { return nil }
                state.nextTicket += 1
                state.held[state.nextTicket] = passed
                return state.nextTicket
            }
        }

        /// Gives up a place.
        func leave(_ ticket: Int) {
            monitor.withLock { state in state.held[ticket] = nil }
        }
    }
}

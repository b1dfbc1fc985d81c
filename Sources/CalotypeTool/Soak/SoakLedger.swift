import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// What was begun and how it ended, counted where it happens: by the user, at the transport, and at the origin.
///
/// - Isolation: Any thread.
final class SoakLedger: Sendable {
    /// What is counted.
    struct Counts: Sendable, Equatable {
        /// Loads that the user began, and how they ended.
        var loads = 0
        var images = 0
        var errors = 0
        var cancellations = 0
        /// Prefetches, and what was told of them.
        var prefetches = 0
        var outcomes = 0
        /// Requests that the pipeline gave to the transport, and how those calls ended.
        var sent = 0
        var answered = 0
        var failed = 0
        var abandoned = 0
        /// Requests that reached the origin: once, and again after it had closed their connection without an answer.
        var arrived = 0
        var repeated = 0
        /// Requests that reached it though nobody had sent them, or again though they had been answered.
        var strangers = 0
        /// What the origin did.
        var confirmed = 0
        var faults = 0
        /// Rows that showed the picture of another, or anything after their account had signed out.
        var wrongPictures = 0
        /// What no load sees.
        var cacheFaults = 0
        /// What the user did.
        var frames = 0
        var openings = 0
        var signOuts = 0
        var outages = 0
    }

    private struct State {
        var counts = Counts()
        /// What is known of each request, by its number.
        var progress: [Progress] = []
        var surprises: [String] = []
    }

    /// How far a request has come.
    private struct Progress: OptionSet {
        let rawValue: UInt8
        static let arrived = Progress(rawValue: 1)
        /// Its connection was closed, or what came last can't be told from that.
        static let dropped = Progress(rawValue: 2)
        static let answered = Progress(rawValue: 4)
    }

    private let state = Mutex(State())

    var counts: Counts { state.withLock { $0.counts } }

    func count(_ path: any WritableKeyPath<Counts, Int> & Sendable, _ number: Int = 1) {
        state.withLock { $0.counts[keyPath: path] += number }
    }

    /// Something that mustn't happen. The first few are kept.
    func surprise(_ text: String) {
        state.withLock { if $0.surprises.count < 10 { $0.surprises.append(text) } }
    }

    // MARK: Requests

    /// A request is given to the transport.
    ///
    /// - Returns: Its number.
    func send() -> Int {
        state.withLock { state in
            state.counts.sent += 1
            state.progress.append([])
            return state.progress.count - 1
        }
    }

    /// Its head has come.
    func answer(_ number: Int) {
        state.withLock { state in
            state.counts.answered += 1
            state.progress[number].insert(.answered)
        }
    }

    /// It has reached the origin.
    ///
    /// - Parameter isDropped: Whether its connection is closed in place of an answer: the transport may send it again.
    func arrive(_ number: Int?, isDropped: Bool) {
        state.withLock { state in
            guard let number, state.progress.indices.contains(number) else { return state.counts.strangers += 1 }
            let before = state.progress[number]
            if before.contains(.answered) || before.contains(.arrived) && !before.contains(.dropped) {
                state.counts.strangers += 1
            } else if before.contains(.arrived) {
                state.counts.repeated += 1
            } else {
                state.counts.arrived += 1
            }
            state.progress[number].insert(.arrived)
            if isDropped { state.progress[number].insert(.dropped) }
        }
    }

    /// Connections are being closed: whatever has arrived so far may be sent again.
    func closeConnections() {
        state.withLock { state in
            for index in state.progress.indices.suffix(1_000) { state.progress[index].insert(.dropped) }
        }
    }

    // MARK: The balance

    /// What doesn't add up, once everything has ended; nothing if all does.
    ///
    /// - Parameter originCount: The origin's own count of requests.
    func faults(originCount: Int) -> [String] {
        let (counts, surprises, unseen) = state.withLock { state in
            // An answer from nowhere.
            let unseen = state.progress.count { $0.contains(.answered) && !$0.contains(.arrived) }
            return (state.counts, state.surprises, unseen)
        }
        var faults = surprises
        func expect(_ left: Int, _ right: Int, _ text: String) {
            if left != right { faults.append("\(text): \(left.grouped) and \(right.grouped)") }
        }
        expect(
            counts.loads, counts.images + counts.errors + counts.cancellations,
            "loads, and images, errors and cancellations")
        expect(counts.prefetches, counts.outcomes, "prefetches, and their outcomes")
        expect(
            counts.sent, counts.answered + counts.failed + counts.abandoned,
            "requests that were sent, and answers, failures and those that were given up")
        expect(
            originCount, counts.arrived + counts.repeated + counts.strangers,
            "the origin's requests, and those of the pipeline that reached it")
        expect(counts.strangers, 0, "requests that nobody had sent, or twice")
        expect(unseen, 0, "answers to requests that never reached the origin")
        expect(counts.wrongPictures, 0, "wrong pictures")
        expect(counts.cacheFaults, 0, "faults of caches")
        return faults
    }
}

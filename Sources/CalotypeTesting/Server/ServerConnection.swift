import Foundation

/// One connection: what has been read and what is still to be sent.
///
/// - Isolation: The server's thread alone.
final class ServerConnection {
    /// What it is waiting for, besides the client.
    enum Wait: Equatable {
        case nothing
        /// A timer or a gate will say this ticket.
        case ticket(Int)
        case writable
        case forever
    }

    let id: Int
    let descriptor: Int32
    var parser = RequestParser()
    var steps: [ResponseStep] = []
    var stepIndex = 0
    /// How much of the current step's bytes has been sent.
    var sentByteCount = 0
    var wait = Wait.nothing
    /// The place taken at a gate.
    var heldAt: (gate: LoopbackServer.Gate, place: Int)?
    /// What the current step's stream has given and hasn't been sent yet.
    var streamed: Data?
    /// All has been said; what still comes is discarded.
    var isLingering = false

    init(id: Int, descriptor: Int32) {
        self.id = id
        self.descriptor = descriptor
    }

    /// The next thing to do.
    var step: ResponseStep? { stepIndex < steps.count ? steps[stepIndex] : nil }

    /// Whether a response is under way. Its last step may be a pause.
    var isBusy: Bool { stepIndex < steps.count || wait != .nothing }

    func begin(_ steps: [ResponseStep]) {
        self.steps = steps
        stepIndex = 0
        sentByteCount = 0
    }
}

/// Moments at which something is to happen to a connection, soonest last.
struct TimerQueue {
    struct Entry {
        var deadline: ContinuousClock.Instant
        var connectionID: Int
        var ticket: Int
    }

    private var entries: [Entry] = []

    var next: ContinuousClock.Instant? { entries.last?.deadline }

    /// Of equal deadlines, the one added first comes first.
    mutating func add(_ entry: Entry) {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].deadline > entry.deadline { low = middle + 1 } else { high = middle }
        }
        entries.insert(entry, at: low)
    }

    mutating func takeDue(at now: ContinuousClock.Instant) -> Entry? {
        guard let last = entries.last, last.deadline <= now else { return nil }
        return entries.removeLast()
    }
}

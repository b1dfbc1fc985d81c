import Foundation
import Synchronization

/// The bytes of a body on their way into a rendition's previews.
///
///     the fetch's task: take ──> pieces ──> the task of the previews: waits a while, takes all there is, shows what it makes
///
/// So a preview is made of everything that has come, no more often than the wait allows, and never two at a time. Nothing is
/// made at all of a body that is complete before the first wait is over.
///
/// - Isolation: Any thread.
/// - Owns: the task of the previews, from ``run(_:)`` until ``end()``.
/// - Memory: the pieces since the last preview, as they came.
final class PreviewFeed: Sendable {
    /// What has come since the last time.
    struct Bytes: Sendable {
        let header: ImageHeader
        let pieces: [Data]
        /// Whether they are the first of a body: what was made of earlier ones counts no more.
        let areFirst: Bool
    }

    fileprivate struct State {
        var header: ImageHeader?
        var pieces: [Data] = []
        /// Those that have been taken in.
        var byteCount = 0
        /// Whether `pieces` begin with the body's first byte.
        var areFirst = true
        /// Which body it is: an attempt that fails may be followed by another one.
        var body: Moment?
        var task: Task<Void, Never>?
        var isEnded = false
        var count = 0
        var firstTime: Duration?
    }

    /// From the first bytes to the first preview, and from one to the next.
    static let interval = Duration.milliseconds(250)
    /// A body of fewer bytes than this is there too soon for a preview.
    static let smallestBodyByteCount = 32 << 10

    /// An element whenever bytes have come.
    let arrivals: AsyncStream<Void>
    /// Stops what is made at the moment.
    let cancellation = DecodeCancellation()
    private let arrival: AsyncStream<Void>.Continuation
    private let start: Moment
    private let state = Mutex(State())

    /// - Parameter start: When the bytes were asked for.
    init(since start: Moment) {
        self.start = start
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether previews of a body are worth while: it has been recognised as an image, is long enough, and isn't complete.
    static func isWorthwhile(_ reception: borrowing BodyReception) -> Bool {
        guard reception.header != nil else { return false }
        let byteCount = Int64(reception.data.count)
        guard let expected = reception.expectedByteCount else { return byteCount >= smallestBodyByteCount }
        return expected >= smallestBodyByteCount && byteCount < expected
    }

    // MARK: The side of the fetch

    /// Takes a piece of the body, and what came before it if that is missing here: it is the beginning that an earlier load
    /// has left, or came when nobody wanted previews.
    func take(_ piece: Data, of reception: borrowing BodyReception) {
        let (data, body, header) = (reception.data, reception.startTime, reception.header)
        let isTaken = state.withLock { state in
            guard !state.isEnded else { return false }
            if state.body != body { state.rewind() }
            let missing = data.count - piece.count - state.byteCount
            if missing > 0 { state.pieces.append(Data(data.dropFirst(state.byteCount).prefix(missing))) }
            state.pieces.append(piece)
            state.byteCount = data.count
            state.body = body
            state.header = header
            return true
        }
        if isTaken { arrival.yield() }
    }

    /// Keeps the task that makes the previews, to be cancelled in the end.
    func run(_ task: Task<Void, Never>) {
        let isEnded = state.withLock { state in
            state.task = task
            return state.isEnded
        }
        if isEnded { task.cancel() }
    }

    /// Ends it: what is made at the moment is stopped, and nothing more is taken.
    func end() {
        cancellation.cancel()
        let task = state.withLock { state in
            state.isEnded = true
            state.pieces = []
            return state.task.take()
        }
        task?.cancel()
        arrival.finish()
    }

    // MARK: The side of the previews

    /// Everything since the last time; `nil` if that is nothing.
    func takeBytes() -> Bytes? {
        state.withLock { state in
            guard let header = state.header, !state.pieces.isEmpty else { return nil }
            defer {
                state.pieces = []
                state.areFirst = false
            }
            return Bytes(header: header, pieces: state.pieces, areFirst: state.areFirst)
        }
    }

    /// Forgets all bytes. The next piece brings them again.
    func rewind() {
        state.withLock { $0.rewind() }
    }

    /// Counts a preview that is about to be shown.
    func count() {
        state.withLock { state in
            state.count += 1
            if state.firstTime == nil { state.firstTime = .now - start }
        }
    }

    /// What there was to show; `nil` if there was nothing.
    var summary: LoadReport.Previews? {
        state.withLock { state in
            state.firstTime.map { LoadReport.Previews(count: state.count, firstTime: $0) }
        }
    }
}

extension PreviewFeed.State {
    fileprivate mutating func rewind() {
        pieces = []
        byteCount = 0
        areFirst = true
        body = nil
    }
}

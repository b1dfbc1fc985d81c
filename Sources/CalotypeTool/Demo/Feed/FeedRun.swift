import Calotype
import Observation

/// Scrolls a feed: makes rows as they come into view, evaluates their bodies in each frame, and lets go of those that have
/// left.
@MainActor
final class FeedRun {
    /// What a frame waits for.
    enum Pace {
        /// Its turn on a display. One that is late delays those after it.
        case display
        /// Every row's picture, or its failure, and what is prefetched: independent of how fast the machine is.
        case settled
    }

    private let script: FeedScript
    private let makeRow: (Int) -> any FeedRow
    private let prefetch: FeedPrefetch?
    private var rows: [Int: any FeedRow] = [:]
    private(set) var record = FeedRecord()
    private(set) var film: [FilmFrame] = []

    init(_ script: FeedScript, prefetch: FeedPrefetch? = nil, row makeRow: @escaping (Int) -> any FeedRow) {
        self.script = script
        self.prefetch = prefetch
        self.makeRow = makeRow
    }

    /// Scrolls from the first frame to the last.
    ///
    /// - Parameter onFrame: Gets the part that is done, after each frame.
    /// - Throws: `CancellationError`.
    func run(_ pace: Pace, onFrame: (Double) -> Void = { _ in }) async throws {
        defer { leave(except: 0..<0) }
        let moments = Set(script.moments)
        let start = ContinuousClock.now
        for (frame, offset) in script.offsets.enumerated() {
            let visible = script.layout.rows(at: offset)
            leave(except: visible)
            let entering = visible.filter { rows[$0] == nil }
            for row in entering { rows[row] = makeRow(row) }
            let contents = rows.mapValues(\.content)
            record.add(contents, at: .now - start)
            if moments.contains(frame) {
                film.append(
                    FilmFrame(
                        number: frame, layout: script.layout, offset: offset, contents: contents,
                        rowsShown: record.rowsShown))
            }
            for row in entering { rows[row]?.appear() }
            onFrame(Double(frame + 1) / Double(script.offsets.count))

            switch pace {
            case .display: try await waitForDisplay(since: start)
            case .settled: await waitUntilSettled()
            }
            // After the rows in view, whose tasks have begun by now.
            prefetch?.move(to: visible)
            if pace == .settled { await prefetch?.finished() }
            try Task.checkCancellation()
        }
    }

    private func leave(except visible: Range<Int>) {
        for (index, row) in rows where !visible.contains(index) {
            row.disappear()
            rows[index] = nil
        }
    }

    /// Returns at the display's next refresh.
    private func waitForDisplay(since start: ContinuousClock.Instant) async throws {
        let interval = Duration.seconds(1) / FeedScript.framesPerSecond
        let refreshes = ((ContinuousClock.now - start) / interval).rounded(.down) + 1
        try await Task.sleep(until: start + interval * refreshes, clock: .continuous)
    }

    private func waitUntilSettled() async {
        while !rows.values.allSatisfy(\.content.isFinal) {
            // Nothing else runs on the main actor between the look above and this one, so no change is missed.
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = rows.values.allSatisfy(\.content.isFinal)
                } onChange: {
                    continuation.resume()
                }
            }
        }
    }
}

/// How fast work goes, told by what was done in the last seconds: what came before may have been of another kind.
struct ProgressPace: Sendable {
    private struct Mark {
        let time: Duration
        let done: Double
    }

    /// What is looked back on.
    private static let window = Duration.seconds(10)
    /// Before this much time has passed, a guess would jump about.
    private static let shortest = Duration.milliseconds(300)
    /// No more marks than these: they lie further apart than that.
    private static let spacing = Duration.milliseconds(100)

    private var marks: [Mark] = []
    private var latest = Mark(time: .zero, done: 0)

    /// Notes how much is done.
    ///
    /// - Parameters:
    ///   - done: In items, and parts of them.
    ///   - time: Since any moment, the same for all calls; not less than before.
    mutating func note(_ done: Double, at time: Duration) {
        latest = Mark(time: time, done: done)
        if marks.last.map({ time - $0.time >= Self.spacing }) ?? true { marks.append(latest) }
        // The last one that has left the window stays: the window begins there.
        while marks.count > 1, time - marks[1].time >= Self.window { marks.removeFirst() }
    }

    /// Items a second; `nil` as long as nobody can tell.
    var rate: Double? {
        guard let first = marks.first, latest.time - first.time >= Self.shortest, latest.done > first.done else {
            return nil
        }
        return (latest.done - first.done) / (latest.time - first.time).seconds
    }

    /// How long the rest takes at this rate; `nil` as long as nobody can tell.
    func timeLeft(of total: Int) -> Duration? {
        rate.map { .seconds(max(0, Double(total) - latest.done) / $0) }
    }

    /// "34/s  0:28 left", or nothing.
    func text(of total: Int) -> String {
        guard let rate, let left = timeLeft(of: total) else { return "" }
        let tenths = Int64((rate * 10).rounded())
        let speed = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : ((tenths + 5) / 10).grouped
        return "\(speed)/s  \(left.clock) left"
    }
}

extension Duration {
    fileprivate var seconds: Double { millisecondCount / 1_000 }

    /// "0:28" or "1:02:03", rounded up: nothing that isn't done takes no time.
    fileprivate var clock: String {
        let seconds = Int64(min(seconds.rounded(.up), 359_999))
        func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        return (hours > 0 ? "\(hours):\(padded(minutes))" : "\(minutes)") + ":\(padded(seconds % 60))"
    }
}

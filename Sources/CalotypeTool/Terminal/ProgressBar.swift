import Foundation
import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// A line at the bottom of the terminal that says how far the work is. It disappears when the work is done.
///
/// - Isolation: Any thread. The lock is held while a line is written, so that none is torn.
final class ProgressBar: Sendable {
    private struct State {
        /// The part that is done of each item under way, by its position.
        var parts: [Int: Double] = [:]
        var doneCount = 0
        var byteCount: Int64 = 0
        var isDrawn = false
        var lastDraw: ContinuousClock.Instant?
        var pace = ProgressPace()
    }

    private static let interval = Duration.milliseconds(80)
    private let total: Int
    private let width: Int
    private let usesColor: Bool
    private let showsPace: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// A bar on standard error; `nil` if that is no terminal.
    ///
    /// - Parameter showsPace: Whether it also says how many items are done in a second, and when all will be.
    static func onTerminal(total: Int, showsPace: Bool = false) -> ProgressBar? {
        guard Console.isTerminal(2) else { return nil }
        return ProgressBar(
            total: total, width: Console.width(of: 2), usesColor: Console.allowsColor(2), showsPace: showsPace)
    }

    init(total: Int, width: Int, usesColor: Bool, showsPace: Bool = false) {
        self.total = total
        self.width = width
        self.usesColor = usesColor
        self.showsPace = showsPace
    }

    /// An item has come so far, between 0 and 1.
    func advance(_ position: Int, to fraction: Double) {
        state.withLock { state in
            state.parts[position] = fraction
            draw(&state, force: false)
        }
    }

    /// An item has ended, well or not.
    func finish(_ position: Int, byteCount: Int64) {
        state.withLock { state in
            state.parts[position] = nil
            state.doneCount += 1
            state.byteCount += byteCount
            draw(&state, force: false)
        }
    }

    /// Makes room for `body` to print, then draws the bar again below.
    func around(_ body: () -> Void) {
        state.withLock { state in
            let wasDrawn = state.isDrawn
            erase(&state)
            body()
            if wasDrawn { draw(&state, force: true) }
        }
    }

    /// Takes the bar off the screen.
    func close() {
        state.withLock { erase(&$0) }
    }

    private func erase(_ state: inout State) {
        guard state.isDrawn else { return }
        Console.write("\r\u{1B}[K", to: 2)
        state.isDrawn = false
    }

    private func draw(_ state: inout State, force: Bool) {
        let now = ContinuousClock.now
        if !force, let last = state.lastDraw, now - last < Self.interval { return }
        state.lastDraw = now
        state.isDrawn = true
        let done = Double(state.doneCount) + state.parts.values.reduce(0, +)
        state.pace.note(done, at: now - start)
        let pace = showsPace ? state.pace.text(of: total) : ""
        let text = ["\(state.doneCount.grouped)/\(total.grouped)", pace, "\(state.byteCount.grouped) bytes"]
        let line = Self.line(
            part: done / Double(max(total, 1)), text: text.filter { !$0.isEmpty }.joined(separator: "  "), width: width,
            usesColor: usesColor)
        Console.write("\r\(line)\u{1B}[K", to: 2)
    }

    /// The bar and the text beside it, in fewer columns than the terminal has: a full line would wrap.
    static func line(part: Double, text: String, width: Int, usesColor: Bool) -> String {
        let room = min(40, width - text.count - 5)
        guard room >= 4 else { return String(text.prefix(max(0, width - 1))) }
        let filled = Int((min(max(part, 0), 1) * Double(room)).rounded(.down))
        let done = String(repeating: "#", count: filled)
        let rest = String(repeating: "-", count: room - filled)
        return usesColor ? "[\u{1B}[36m\(done)\u{1B}[0m\(rest)] \(text)" : "[\(done)\(rest)] \(text)"
    }
}

/// Rows of one height below each other, and the viewport that shows some of them. All in points.
struct FeedLayout: Sendable, Equatable {
    var rowCount: Int
    var rowHeight = 88.0
    var viewportWidth = 390.0
    var viewportHeight = 740.0

    /// How far the feed can be scrolled.
    var maximumOffset: Double { max(0, Double(rowCount) * rowHeight - viewportHeight) }

    /// The rows of which at least a part is seen.
    func rows(at offset: Double) -> Range<Int> {
        let first = min(max(Int((offset / rowHeight).rounded(.down)), 0), rowCount)
        let end = min(max(Int(((offset + viewportHeight) / rowHeight).rounded(.up)), first), rowCount)
        return first..<end
    }

    /// A row's upper edge, from the top of the viewport.
    func top(of row: Int, at offset: Double) -> Double { Double(row) * rowHeight - offset }

    /// How much of a row's height is seen.
    func seenHeight(of row: Int, at offset: Double) -> Double {
        let top = top(of: row, at: offset)
        return max(0, min(top + rowHeight, viewportHeight) - max(top, 0))
    }
}

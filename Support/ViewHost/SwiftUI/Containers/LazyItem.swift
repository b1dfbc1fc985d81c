/// Lays out the lines of a lazy container that can be seen, and makes their rows for it.
///
/// Lines that were never measured count as high as the others on average.
final class LazyItem: LayoutItem {
    private let columns: [GridItem]
    private let lineSpacing: CGFloat
    private let rows: LazyRows
    private var placed: [LayoutItem] = []

    init(_ node: ViewNode, columns: [GridItem], lineSpacing: CGFloat) {
        self.columns = columns
        self.lineSpacing = lineSpacing
        rows = LazyRows.of(node)
        super.init(node)
    }

    override var visibleChildren: [LayoutItem] { placed }

    override func measure(_ proposal: ProposedViewSize) -> CGSize {
        guard !rows.entries.isEmpty else { return CGSize(width: proposal.width ?? 0, height: 0) }
        let tracks = tracks(within: proposal.width)
        if rows.typicalHeight == nil {
            // The first line alone tells how high the others may be.
            for (entry, track) in zip(rows.entries, tracks) { _ = measureRow(entry, width: track.width) }
        }
        let lines = lineHeights(perLine: tracks.count)
        let height = lines.reduce(0, +) + lineSpacing * CGFloat(max(lines.count - 1, 0))
        let ideal = rows.nodes.values.flatMap(\.layoutItems).map { $0.sizeThatFits(.unspecified).width }.max() ?? 0
        return CGSize(width: proposal.width ?? ideal, height: height)
    }

    override func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        let tracks = tracks(within: rect.width)
        let overscan = node.graph.settings.overscan
        let window = context.viewport.insetBy(dx: 0, dy: -overscan)
        let before = lineHeights(perLine: tracks.count)
        var visible: [ChildKey: ViewNode] = [:]
        var y = rect.minY
        var index = 0
        placed = []
        for line in 0..<before.count {
            let entries = rows.entries[index..<min(index + tracks.count, rows.entries.count)]
            index += tracks.count
            var height = before[line]
            if y < window.maxY, y + height > window.minY {
                var items: [(items: [LayoutItem], track: Track)] = []
                for (entry, track) in zip(entries, tracks) {
                    items.append((measureRow(entry, width: track.width), track))
                    visible[entry.key] = rows.nodes[entry.key]
                }
                height = entries.compactMap { rows.height(of: $0.key) }.max() ?? 0
                for (cell, track) in items {
                    place(cell, in: track, at: CGPoint(x: rect.minX, y: y), height: height, context: context)
                }
            }
            y += height + lineSpacing
        }
        rows.keep(visible, in: node)
        // Rows turned out higher or lower than they were taken to be.
        if lineHeights(perLine: tracks.count).reduce(0, +) != before.reduce(0, +) { node.graph.needsLayout = true }
    }

    private func place(
        _ items: [LayoutItem], in track: Track, at origin: CGPoint, height: CGFloat, context: PlacementContext
    ) {
        var y = origin.y
        for item in items {
            let proposal = ProposedViewSize(width: track.width, height: nil)
            let size = item.sizeThatFits(proposal)
            let cell = CGRect(
                x: origin.x + track.x, y: y, width: track.width, height: items.count == 1 ? height : size.height)
            item.place(
                in: CGRect(origin: track.alignment.origin(of: size, in: cell), size: size), proposal: proposal,
                context: context)
            placed.append(item)
            y += size.height + lineSpacing
        }
    }

    /// Makes a row if need be, and notes how high it is.
    private func measureRow(_ entry: LazyEntry, width: CGFloat) -> [LayoutItem] {
        let items = rows.node(of: entry, in: node).layoutItems
        let heights = items.map { $0.sizeThatFits(ProposedViewSize(width: width, height: nil)).height }
        rows.setHeight(heights.reduce(0, +) + lineSpacing * CGFloat(max(items.count - 1, 0)), of: entry.key)
        return items
    }

    private func lineHeights(perLine: Int) -> [CGFloat] {
        let typical = rows.typicalHeight ?? 0
        return stride(from: 0, to: rows.entries.count, by: perLine).map { start in
            rows.entries[start..<min(start + perLine, rows.entries.count)]
                .map { rows.height(of: $0.key) ?? typical }.max() ?? 0
        }
    }

    // MARK: Columns

    private struct Track {
        var x: CGFloat
        var width: CGFloat
        var alignment: Alignment
    }

    /// The columns side by side. Fixed ones take their width, the others share what is left.
    private func tracks(within width: CGFloat?) -> [Track] {
        let total = width ?? CGFloat(columns.count) * 10
        var sizes: [(item: GridItem, minimum: CGFloat, maximum: CGFloat)] = []
        for column in columns {
            switch column.size {
            case .fixed(let width): sizes.append((column, width, width))
            case .flexible(let minimum, let maximum): sizes.append((column, minimum, maximum))
            case .adaptive(let minimum, let maximum):
                let spacing = column.spacing ?? 8
                let count = columns.count == 1 ? max(Int((total + spacing) / (minimum + spacing)), 1) : 1
                sizes += Array(repeating: (column, minimum, maximum), count: count)
            }
        }
        let gaps = sizes.dropLast().reduce(0) { $0 + ($1.item.spacing ?? 8) }
        var left = total - gaps - sizes.filter { $0.minimum == $0.maximum }.reduce(0) { $0 + $1.minimum }
        var flexible = sizes.count { $0.minimum != $0.maximum }
        var x: CGFloat = 0
        return sizes.map { size in
            var width = size.minimum
            if size.minimum != size.maximum {
                width = min(max(left / CGFloat(flexible), size.minimum), size.maximum)
                left -= width
                flexible -= 1
            }
            defer { x += width + (size.item.spacing ?? 8) }
            return Track(x: x, width: width, alignment: size.item.alignment ?? .center)
        }
    }
}

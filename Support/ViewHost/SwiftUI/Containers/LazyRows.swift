/// What a lazy container knows of its rows: which there could be, which exist, and how high those were that did.
@MainActor
final class LazyRows {
    private(set) var entries: [LazyEntry] = []
    private(set) var nodes: [ChildKey: ViewNode] = [:]
    /// Rows off screen whose state is kept.
    private var hidden: [ChildKey: ViewNode] = [:]
    private var heights: [ChildKey: CGFloat] = [:]
    private var inputs: NodeInputs

    private init(_ inputs: NodeInputs) { self.inputs = inputs }

    /// The rows of a container, with those that its update has replaced.
    static func of(_ node: ViewNode) -> LazyRows {
        let rows = node.storage as! LazyRows
        for child in node.children { rows.nodes[child.key] = child }
        return rows
    }

    /// Takes the container's new content, and gives the rows that exist already.
    static func update(_ node: ViewNode, content: any View) -> [ChildView] {
        let inputs = NodeInputs(environment: node.environment, transaction: node.transaction)
        let rows = node.storage as? LazyRows ?? LazyRows(inputs)
        node.storage = rows
        rows.inputs = inputs
        rows.entries = LazyEntry.entries(of: content)
        let keys = Set(rows.entries.map(\.key))
        if keys.count < rows.entries.count {
            node.graph.report("Rows of \(type(of: node.view)) have the same identity")
        }
        rows.nodes = rows.nodes.filter { keys.contains($0.key) }
        for (key, hidden) in rows.hidden where !keys.contains(key) {
            node.graph.remove(hidden, transaction: inputs.transaction)
            rows.hidden[key] = nil
        }
        let existing = rows.nodes
        return rows.entries.compactMap { entry in
            existing[entry.key].map { _ in ChildView(key: entry.key, view: entry.make()) }
        }
    }

    /// The node of a row, which is made if need be.
    func node(of entry: LazyEntry, in container: ViewNode) -> ViewNode {
        if let node = nodes[entry.key], !node.isRemoved { return node }
        let view = container.tracked { entry.make() }
        let node: ViewNode
        if let kept = hidden.removeValue(forKey: entry.key), type(of: kept.view) == type(of: view) {
            container.graph.show(kept)
            kept.update(to: view, inputs: inputs)
            node = kept
        } else {
            node = ViewNode(
                ChildView(key: entry.key, view: view), parent: container, graph: container.graph, inputs: inputs)
        }
        nodes[entry.key] = node
        return node
    }

    /// Lets rows go that are out of sight.
    func keep(_ visible: [ChildKey: ViewNode], in container: ViewNode) {
        for (key, node) in nodes where visible[key] == nil && !node.isRemoved {
            if container.graph.settings.keepsStateOfRows {
                hidden[key] = node
                container.graph.hide(node)
            } else {
                container.graph.remove(node, transaction: Transaction())
            }
        }
        nodes = visible
        container.adopt(entries.compactMap { visible[$0.key] })
    }

    func setHeight(_ height: CGFloat, of key: ChildKey) { heights[key] = height }

    /// A row's height, or nil if it has never been measured.
    func height(of key: ChildKey) -> CGFloat? { heights[key] }

    /// What rows are taken to be as high as until they are measured.
    var typicalHeight: CGFloat? {
        heights.isEmpty ? nil : heights.values.reduce(0, +) / CGFloat(heights.count)
    }
}

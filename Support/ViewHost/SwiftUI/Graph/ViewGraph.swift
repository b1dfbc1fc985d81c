/// The tree of nodes, and what waits to be done with it.
///
/// An update pass evaluates what was invalidated, lays everything out (which makes and removes rows of lazy containers),
/// and then delivers appearances, changes and disappearances, whose actions may invalidate again. Tasks are started when
/// the frame is complete.
@MainActor
package final class ViewGraph {
    /// What the host wishes to know, and decides.
    package struct Settings {
        package var seed: UInt64 = 1
        /// What lies this many points beyond the viewport exists, too.
        package var overscan: CGFloat = 0
        package var keepsStateOfRows = false
        /// Whether to leave out an event, given the identities around the view.
        package var withholds: @MainActor (LifecycleEvent, [AnyHashable]) -> Bool = { _, _ in false }

        package init() {}
    }

    package var settings = Settings()
    package var proposal: ProposedViewSize
    package var now = Date(timeIntervalSinceReferenceDate: 0)
    /// Called at the first invalidation after an update.
    package var onInvalidation: @MainActor () -> Void = {}

    package private(set) var root: ViewNode!
    package private(set) var rootItem: LayoutItem?
    private var counts: [ObjectIdentifier: (type: Any.Type, count: Int)] = [:]
    package private(set) var bodyEvaluations = 0
    /// What SwiftUI would warn about or leave undefined.
    package private(set) var faults: [String] = []
    package private(set) var changes: [NodeChange] = []

    private var dirty: [ViewNode] = []
    private var insertions: [ViewNode] = []
    private var updates: [ViewNode] = []
    private var removals: [ViewNode] = []
    private var starts: [@MainActor () -> Void] = []
    private var timelines: [ObjectIdentifier: WeakTimeline] = [:]
    private var isEvaluating = false
    private var generator: SplitMix
    package var needsLayout = true

    package init(_ view: any View, environment: EnvironmentValues, proposal: ProposedViewSize, settings: Settings) {
        self.proposal = proposal
        self.settings = settings
        generator = SplitMix(state: settings.seed)
        isEvaluating = true
        let inputs = NodeInputs(environment: environment, transaction: Transaction())
        root = ViewNode(ChildView(key: .index(0), view: view), parent: nil, graph: self, inputs: inputs)
        isEvaluating = false
    }

    package var isInvalidated: Bool { !dirty.isEmpty || needsLayout }

    package func setRoot(_ view: any View, environment: EnvironmentValues, transaction: Transaction) {
        isEvaluating = true
        let inputs = NodeInputs(environment: environment, transaction: transaction)
        if type(of: view) == type(of: root.view) {
            root.update(to: view, inputs: inputs)
        } else {
            let former = root!
            root = ViewNode(ChildView(key: .index(0), view: view), parent: nil, graph: self, inputs: inputs)
            remove(former, transaction: transaction)
        }
        isEvaluating = false
        onInvalidation()
    }

    // MARK: Reports of the nodes

    func invalidated(_ node: ViewNode) {
        if isEvaluating { report("State changed while \(type(of: node.view)) or a view beside it was being evaluated") }
        dirty.append(node)
        onInvalidation()
    }

    func inserted(_ node: ViewNode) { insertions.append(node) }

    func updated(_ node: ViewNode) {
        needsLayout = true
        if node.lifecycle != nil { updates.append(node) }
    }

    func remove(_ node: ViewNode, transaction: Transaction) {
        changes.append(NodeChange(kind: .removed, node: node, transaction: transaction))
        retire(node, removing: true)
    }

    /// Takes a row off screen whose state is kept.
    func hide(_ node: ViewNode) { retire(node, removing: false) }

    /// Brings a kept row back.
    func show(_ node: ViewNode) {
        node.isHidden = false
        insertions.append(node)
        for child in node.children { show(child) }
    }

    private func retire(_ node: ViewNode, removing: Bool) {
        if removing { node.isRemoved = true } else { node.isHidden = true }
        removals.append(node)
        for child in node.children { retire(child, removing: removing) }
    }

    func countBody(of type: Any.Type) {
        bodyEvaluations += 1
        counts[ObjectIdentifier(type), default: (type, 0)].count += 1
    }

    package var bodyCounts: [String: Int] {
        Dictionary(counts.values.map { ("\($0.type)", $0.count) }, uniquingKeysWith: +)
    }

    func report(_ fault: String) { faults.append(fault) }

    /// Lets a task start once the frame is complete.
    func start(_ start: @escaping @MainActor () -> Void) { starts.append(start) }

    // MARK: Passes

    /// Evaluates, lays out and delivers until nothing is left to do.
    package func update() {
        changes = []
        for _ in 0..<32 {
            evaluate()
            layOut()
            deliver()
            if !isInvalidated { return }
        }
        report("The views don't come to rest: each update invalidates something again")
    }

    private func evaluate() {
        while !dirty.isEmpty {
            let nodes = dirty.sorted { $0.depth < $1.depth }
            dirty = []
            isEvaluating = true
            for node in nodes { node.updateIfNeeded() }
            isEvaluating = false
        }
    }

    private func layOut() {
        for _ in 0..<16 where needsLayout {
            needsLayout = false
            isEvaluating = true
            let item = StackItem.overlaying(root.layoutItems, node: root)
            let size = item.sizeThatFits(proposal)
            let space = proposal.replacingUnspecifiedDimensions(by: size)
            let origin = CGPoint(x: (space.width - size.width) / 2, y: (space.height - size.height) / 2)
            item.place(
                in: CGRect(origin: origin, size: size), proposal: proposal,
                context: PlacementContext(viewport: CGRect(origin: .zero, size: space)))
            isEvaluating = false
            rootItem = item
        }
        if needsLayout { report("The layout doesn't come to rest") }
    }

    private func deliver() {
        let gone = removals, new = insertions, updated = updates
        removals = []
        insertions = []
        updates = []
        for node in new where !node.isRemoved && !node.isShown && !node.isHidden {
            node.isShown = true
            changes.append(NodeChange(kind: .inserted, node: node, transaction: node.transaction))
            node.lifecycle?.appeared(node)
        }
        for node in updated where node.isShown { node.lifecycle?.updated(node) }
        for node in gone where node.isShown && (node.isRemoved || node.isHidden) {
            node.isShown = false
            node.lifecycle?.disappeared(node)
        }
        rootItem?.forEachItem { item in if item.node.isShown { item.node.lifecycle?.laidOut(item) } }
    }

    /// Starts what has waited for the frame, in an order that only the seed fixes.
    package func startTasks() {
        let waiting = starts.shuffled(using: &generator)
        starts = []
        for start in waiting { start() }
    }

    // MARK: Time

    func addTimeline(_ node: ViewNode, _ timeline: any Timeline) {
        timelines[ObjectIdentifier(node)] = WeakTimeline(node: node, timeline: timeline)
    }

    /// Moves the clock, and invalidates each timeline that has an entry by then.
    package func advance(to date: Date) {
        now = date
        timelines = timelines.filter { $0.value.node.map { !$0.isRemoved } ?? false }
        for entry in timelines.values {
            guard let node = entry.node, node.isShown, entry.timeline.isDue(at: date, in: node) else { continue }
            node.invalidate(Transaction())
        }
    }
}

package enum LifecycleEvent: Hashable, Sendable {
    case appear
    case task
    case disappear
}

/// What happened to a node in an update, and the transaction it happened in.
package struct NodeChange {
    package enum Kind: Sendable { case inserted, removed, updated }
    package let kind: Kind
    package let node: ViewNode
    package let transaction: Transaction
}

/// A view that changes with the clock.
@MainActor
protocol Timeline {
    func isDue(at date: Date, in node: ViewNode) -> Bool
}

private struct WeakTimeline {
    weak var node: ViewNode?
    let timeline: any Timeline
}

/// SplitMix64, of Steele, Lea and Flood: the same seed gives the same order.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

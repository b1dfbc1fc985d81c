/// A view's place in the tree: what outlives the view's value.
///
/// A node lasts as long as each evaluation of its parent gives a view of the same type under the same key. Its state
/// lives and ends with it.
///
/// - Isolation: main actor. ``WeakNode`` is how state and models reach it from elsewhere.
@MainActor
package final class ViewNode {
    package unowned let graph: ViewGraph
    package private(set) weak var parent: ViewNode?
    package let key: ChildKey
    package let depth: Int
    /// The identities that authors gave to this view and those around it, outermost first.
    package let explicitIDs: [AnyHashable]

    package private(set) var view: any View
    package private(set) var children: [ViewNode] = []
    package private(set) var environment: EnvironmentValues
    /// The transaction of the last update.
    package private(set) var transaction: Transaction
    package private(set) var lifecycle: (any Lifecycle)?
    /// What a primitive view remembers.
    package var storage: Any?
    package internal(set) var isRemoved = false
    /// Whether the view is a row off screen whose state is kept.
    package internal(set) var isHidden = false
    /// Whether the view counts as shown: between appearing and disappearing.
    package internal(set) var isShown = false

    private var properties: [Int: AnyObject] = [:]
    private var evaluation = 0
    private var pending: Transaction?

    package init(
        _ child: ChildView, parent: ViewNode?, graph: ViewGraph, inputs: NodeInputs
    ) {
        self.graph = graph
        self.parent = parent
        key = child.key
        depth = (parent?.depth ?? -1) + 1
        explicitIDs = (parent?.explicitIDs ?? []) + (child.key.explicitID.map { [$0] } ?? [])
        view = child.view
        environment = inputs.environment
        transaction = inputs.transaction
        isHidden = parent?.isHidden ?? false
        graph.inserted(self)
        evaluate(inputs.transaction)
    }

    /// Takes the view that the parent gave this time.
    package func update(to view: any View, inputs: NodeInputs) {
        self.view = view
        environment = inputs.environment
        evaluate(inputs.transaction)
    }

    /// Marks the node for the next update pass.
    package func invalidate(_ transaction: Transaction = .current) {
        guard !isRemoved else { return }
        pending = pending.map { $0.merging(transaction) } ?? transaction
        graph.invalidated(self)
    }

    /// Evaluates the node again if it is still marked.
    func updateIfNeeded() {
        guard let pending, !isRemoved else { return }
        evaluate(pending)
    }

    private func evaluate(_ transaction: Transaction) {
        let transaction = pending.map { transaction.merging($0) } ?? transaction
        pending = nil
        evaluation += 1
        self.transaction = transaction
        var inputs = NodeInputs(environment: environment, transaction: transaction)
        let next: [ChildView]
        if let primitive = view as? any PrimitiveView {
            primitive.configure(&inputs, of: self)
            lifecycle = primitive.lifecycle
            next = tracked { primitive.children(of: self) }
        } else {
            next = [ChildView(key: .index(0), view: body(of: view))]
        }
        reconcile(next, inputs)
        graph.updated(self)
    }

    private func body<Composite: View>(of view: Composite) -> any View {
        var view = view
        bindProperties(of: &view)
        graph.countBody(of: Composite.self)
        return tracked { view.body }
    }

    /// Makes, keeps or removes children so that they are those of `next`.
    package func reconcile(_ next: [ChildView], _ inputs: NodeInputs) {
        guard !children.isEmpty || !next.isEmpty else { return }
        var old: [ChildKey: ViewNode] = [:]
        for child in children { old[child.key] = child }
        var kept: [ViewNode] = []
        kept.reserveCapacity(next.count)
        var keys: Set<ChildKey> = []
        for child in next {
            guard keys.insert(child.key).inserted else {
                graph.report("Two siblings have the identity \(child.key): only the first is shown")
                continue
            }
            if let node = old[child.key], type(of: node.view) == type(of: child.view) {
                old[child.key] = nil
                node.update(to: child.view, inputs: inputs)
                kept.append(node)
            } else {
                kept.append(ViewNode(child, parent: self, graph: graph, inputs: inputs))
            }
        }
        let former = children
        children = kept
        for node in former where old[node.key] === node { graph.remove(node, transaction: inputs.transaction) }
    }

    /// Replaces the children of a container that makes them while it is laid out.
    package func adopt(_ nodes: [ViewNode]) { children = nodes }

    // MARK: Properties

    package func bindProperties<Value>(of value: inout Value) {
        PropertyFields.bind(&value, to: self)
    }

    /// A property's storage, made when the view is evaluated first.
    func property<Storage: AnyObject>(at slot: Int, make: () -> Storage) -> Storage {
        if let storage = properties[slot] as? Storage { return storage }
        let storage = make()
        properties[slot] = storage
        return storage
    }

    // MARK: Observation

    /// Evaluates something, and the node again once an observable property changes that was read.
    package func tracked<Result>(_ apply: () -> Result) -> Result {
        let node = WeakNode(self)
        let evaluation = evaluation
        return withObservationTracking(apply, onChange: { node.invalidate(ifEvaluation: evaluation) })
    }

    func observedChange(of evaluation: Int) {
        // What an earlier evaluation read may not matter any more.
        if evaluation == self.evaluation { invalidate() }
    }

    /// The name of the transition that was given to this view: also around its identity, as in `id(_:).transition(_:)`.
    package var transition: String? {
        if let own = (view as? any Transitional)?.appliedTransition { return own.name }
        guard let parent, parent.view is any IdentifiedView else { return nil }
        return parent.parent?.transition
    }

    // MARK: Layout

    package var layoutItems: [LayoutItem] {
        (view as? any PrimitiveView)?.layoutItems(of: self) ?? childItems
    }

    package var childItems: [LayoutItem] { children.flatMap(\.layoutItems) }
}

/// Reaches a node from any thread, without keeping it.
final class WeakNode: Sendable {
    @MainActor private weak var node: ViewNode?

    @MainActor init(_ node: ViewNode) { self.node = node }

    func invalidate() { onMain { $0.invalidate(.current) } }

    func invalidate(ifEvaluation evaluation: Int) { onMain { $0.observedChange(of: evaluation) } }

    private func onMain(_ action: @escaping @MainActor @Sendable (ViewNode) -> Void) {
        if MainQueue.isCurrent {
            MainActor.assumeIsolated { if let node { action(node) } }
        } else {
            Task { @MainActor in if let node { action(node) } }
        }
    }
}

/// Tells whether this is the main actor's code: on Linux the main queue isn't served by the main thread once
/// `dispatchMain` was called, as test runners do.
enum MainQueue {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil || Thread.isMainThread }
}

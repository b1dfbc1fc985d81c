/// A task that lives as long as a view is shown and its id stays equal.
public nonisolated struct _TaskModifier<ID: Equatable>: ViewModifier {
    public typealias Body = Never
    let id: ID
    let name: String?
    let priority: TaskPriority
    let action: @isolated(any) () async -> Void
}

@MainActor
extension _TaskModifier: PrimitiveModifier {
    package var lifecycle: (any Lifecycle)? { self }
}

@MainActor
extension _TaskModifier: Lifecycle {
    package func appeared(_ node: ViewNode) {
        let running = RunningTask(id: id)
        node.storage = running
        if !node.graph.settings.withholds(.task, node.explicitIDs) { start(running, node) }
    }

    package func updated(_ node: ViewNode) {
        guard let running = node.storage as? RunningTask<ID>, running.id != id else { return }
        running.cancel()
        let next = RunningTask(id: id)
        node.storage = next
        start(next, node)
    }

    package func disappeared(_ node: ViewNode) {
        (node.storage as? RunningTask<ID>)?.cancel()
        node.storage = nil
    }

    private func start(_ running: RunningTask<ID>, _ node: ViewNode) {
        // The action was sent here, and a modifier value runs it once: nobody else has it.
        let action = UncheckedBox(action)
        node.graph.start { running.start(name: name, priority: priority) { await action.value() } }
    }
}

@MainActor
private final class RunningTask<ID: Equatable> {
    let id: ID
    private var task: Task<Void, Never>?
    private var isCancelled = false

    init(id: ID) { self.id = id }

    func start(name: String?, priority: TaskPriority, _ action: @escaping @Sendable () async -> Void) {
        // A task whose view has left before it was started never runs.
        if !isCancelled { task = Task(name: name, priority: priority) { await action() } }
    }

    func cancel() {
        isCancelled = true
        task?.cancel()
    }
}

extension View {
    public nonisolated func task(
        name: String? = nil, priority: TaskPriority = .userInitiated, file: String = #fileID, line: Int = #line,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View {
        modifier(_TaskModifier(id: 0, name: name, priority: priority, action: action))
    }

    public nonisolated func task<T>(
        id: T, name: String? = nil, priority: TaskPriority = .userInitiated, file: String = #fileID,
        line: Int = #line, @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View where T: Equatable {
        modifier(_TaskModifier(id: id, name: name, priority: priority, action: action))
    }
}

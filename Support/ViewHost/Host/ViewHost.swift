import Foundation
package import SwiftUI

/// Runs SwiftUI views without Apple's SwiftUI, so that their behaviour can be tested on Linux.
///
/// It encodes what we believe of SwiftUI, from its documentation and from what has been observed: that a view is
/// consistent with these rules is what a test shows; how Apple's framework behaves it can't show. The rules:
///
/// - Identity: state belongs to a place in the tree: the position in a builder, the branch of a condition, an `id(_:)`,
///   an element of a `ForEach`. Another type or identity there, or a removal, ends it.
/// - Evaluation: a body is evaluated when its parent is (always: values aren't compared), when its `@State` changes to
///   another value, or when an observable property changes that it read.
/// - Layout: a parent proposes, a child chooses its size, the parent places it.
/// - Life: after evaluation and layout, and before the frame is shown, come `onAppear` (parents first), `onChange`,
///   `onDisappear` and `onGeometryChange`. Tasks start after the frame, in an order that the seed decides.
/// - Lazy containers have the rows that the viewport shows, and drop the state of others unless told to keep it.
/// - Animations and transitions aren't run. A frame tells which animation each change had.
///
/// A frame is made at once by ``render()``, and, with ``Rendering/automatic``, by itself in the main queue's next turn
/// after an invalidation.
///
/// - Isolation: main actor.
@MainActor
package final class ViewHost {
    package enum Rendering: Sendable {
        case automatic
        /// Only by ``render()``: for tests that decide about every turn.
        case manual
    }

    private let graph: ViewGraph
    private var makeView: @MainActor () -> any View
    private let rendering: Rendering
    private var isScheduled = false
    private var isRendering = false
    private var waiters: [FrameWaiter] = []

    /// The last frame.
    package private(set) var frame: Frame
    /// Called with each frame, before anybody who waits for it goes on.
    package var onFrame: (@MainActor (Frame) -> Void)?

    /// The environment of the root view.
    package var environment: EnvironmentValues {
        didSet { replaceRoot(Transaction.current) }
    }

    /// Makes a host, and its first frame. No task has run then.
    package init<Content: View>(
        size: CGSize = CGSize(width: 320, height: 480), environment: EnvironmentValues = EnvironmentValues(),
        rendering: Rendering = .automatic, settings: ViewGraph.Settings = .init(),
        @ViewBuilder _ view: @escaping @MainActor () -> Content
    ) {
        self.environment = environment
        self.rendering = rendering
        makeView = view
        graph = ViewGraph(view(), environment: environment, proposal: ProposedViewSize(size), settings: settings)
        frame = Frame(number: 0, roots: [], changes: [], bodyEvaluations: 0)
        graph.onInvalidation = { [weak self] in self?.schedule() }
        render()
    }

    /// Removes all views, as when a window closes: tasks are cancelled, state is dropped.
    package func close() { update { EmptyView() } }

    // MARK: Frames

    /// Does what is pending, and gives the frame that follows: the last one if nothing was.
    @discardableResult
    package func render() -> Frame {
        precondition(!isRendering, "render() was called while a frame was being made")
        guard graph.isInvalidated || frame.number == 0 else { return frame }
        isRendering = true
        let evaluations = graph.bodyEvaluations
        graph.update()
        let former = frame
        let roots = graph.rootItem?.elements ?? []
        frame = Frame(
            number: former.number + 1, roots: roots, changes: changes(since: former, roots),
            bodyEvaluations: graph.bodyEvaluations - (former.number == 0 ? 0 : evaluations))
        isRendering = false
        onFrame?(frame)
        graph.startTasks()
        let reached = waiters.filter { $0.predicate(frame) }
        waiters.removeAll { waiter in reached.contains { $0 === waiter } }
        for waiter in reached {
            waiter.limit?.cancel()
            waiter.continuation.resume(returning: frame)
        }
        return frame
    }

    private func schedule() {
        guard rendering == .automatic, !isScheduled, !isRendering else { return }
        isScheduled = true
        Task { @MainActor [weak self] in
            guard let self else { return }
            isScheduled = false
            render()
        }
    }

    private func changes(since former: Frame, _ roots: [Element]) -> [Frame.Change] {
        func change(_ kind: Frame.Change.Kind, _ node: ViewNode, _ transaction: Transaction) -> Frame.Change {
            Frame.Change(
                kind: kind, ids: node.explicitIDs, view: "\(type(of: node.view))", animation: transaction.animation,
                disablesAnimations: transaction.disablesAnimations, transition: node.transition)
        }
        var changes = graph.changes.map { change($0.kind == .removed ? .removed : .inserted, $0.node, $0.transaction) }
        let old = Dictionary(former.elements.map { ($0.node, $0) }, uniquingKeysWith: { first, _ in first })
        for element in roots.flatMap(\.all) {
            guard let before = old[element.node], !before.draws(theSameAs: element) else { continue }
            changes.append(
                Frame.Change(
                    kind: .updated, ids: element.ids, view: element.summary, animation: element.transaction.animation,
                    disablesAnimations: element.transaction.disablesAnimations, transition: nil))
        }
        return changes
    }

    // MARK: Waiting

    /// Waits for a frame that a condition holds for: the present one, or one to come.
    /// - Throws: ``FrameTimeout`` after the limit, with the frame that was shown then.
    @discardableResult
    package func next(
        within limit: Duration = .seconds(60), where predicate: @escaping @MainActor (Frame) -> Bool
    ) async throws -> Frame {
        if rendering == .automatic { render() }
        if predicate(frame) { return frame }
        return try await withCheckedThrowingContinuation { continuation in
            let waiter = FrameWaiter(predicate: predicate, continuation: continuation)
            waiters.append(waiter)
            // The limit is for tests that fail; one that passes waits for frames only.
            waiter.limit = Task { @MainActor [weak self, weak waiter] in
                try await Task.sleep(for: limit)
                guard let self, let waiter, waiters.contains(where: { $0 === waiter }) else { return }
                waiters.removeAll { $0 === waiter }
                waiter.continuation.resume(throwing: FrameTimeout(limit: limit, frame: frame.description))
            }
        }
    }

    // MARK: What a user or the system does

    /// Shows another view at the root, as if a parent had been evaluated again.
    package func update<Content: View>(
        transaction: Transaction = Transaction(), @ViewBuilder _ view: @escaping @MainActor () -> Content
    ) {
        makeView = view
        replaceRoot(transaction)
    }

    /// Evaluates the root again, with an equal view.
    package func reevaluate() { replaceRoot(Transaction.current) }

    private func replaceRoot(_ transaction: Transaction) {
        graph.setRoot(makeView(), environment: environment, transaction: transaction)
    }

    package func resize(_ size: CGSize) {
        graph.proposal = ProposedViewSize(size)
        graph.needsLayout = true
        schedule()
    }

    /// Taps a button of the last frame.
    /// - Parameter id: An identity around the button, if several have the label.
    package func tap(_ label: String, id: AnyHashable? = nil) throws {
        guard let action = frame.button(label, id: id)?.action else {
            throw NoSuchElement(what: "button \"\(label)\"", frame: frame.description)
        }
        action()
    }

    /// Scrolls to a place, in points from the top of the content. What is beyond the end counts as the end.
    /// - Parameter index: Which scroll view, from the outermost.
    package func scroll(to y: CGFloat, index: Int = 0) throws {
        let scrolls = scrollItems
        guard scrolls.indices.contains(index) else {
            throw NoSuchElement(what: "scroll view \(index)", frame: frame.description)
        }
        scrolls[index].state.offset.y = y
        scrolls[index].state.clamp()
        graph.needsLayout = true
        schedule()
    }

    /// Where the scroll view is scrolled to, in points.
    package var scrollOffset: CGFloat { scrollItems.first?.state.offset.y ?? 0 }
    /// How far it could be scrolled.
    package var scrollLimit: CGFloat {
        scrollItems.first.map { max($0.state.contentSize.height - $0.state.viewport.height, 0) } ?? 0
    }

    private var scrollItems: [ScrollItem] {
        var items: [ScrollItem] = []
        graph.rootItem?.forEachItem { if let item = $0 as? ScrollItem { items.append(item) } }
        return items
    }

    /// Moves the clock that timelines go by.
    package func advance(by duration: Duration) {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
        graph.advance(to: graph.now.addingTimeInterval(seconds))
    }

    package var now: Date { graph.now }

    // MARK: What it has seen

    /// How often bodies were evaluated, by type.
    package var bodyCounts: [String: Int] { graph.bodyCounts }
    package var bodyEvaluations: Int { graph.bodyEvaluations }
    /// What SwiftUI would warn about, or leaves undefined.
    package var faults: [String] { graph.faults }
}

@MainActor
private final class FrameWaiter {
    let predicate: @MainActor (Frame) -> Bool
    let continuation: CheckedContinuation<Frame, any Error>
    var limit: Task<Void, any Error>?

    init(predicate: @escaping @MainActor (Frame) -> Bool, continuation: CheckedContinuation<Frame, any Error>) {
        self.predicate = predicate
        self.continuation = continuation
    }
}

package struct FrameTimeout: Error, CustomStringConvertible {
    package let limit: Duration
    package let frame: String
    package var description: String { "No frame was as expected within \(limit). The last one:\n\(frame)" }
}

package struct NoSuchElement: Error, CustomStringConvertible {
    package let what: String
    package let frame: String
    package var description: String { "There is no \(what) in\n\(frame)" }
}

extension ViewHost {
    /// What tests may choose about the host's behaviour.
    package typealias Settings = ViewGraph.Settings
}

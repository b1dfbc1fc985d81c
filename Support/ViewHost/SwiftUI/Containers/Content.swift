public nonisolated struct EmptyView: View {
    public typealias Body = Never
    public init() {}
}

@MainActor
extension EmptyView: PrimitiveView {}

public nonisolated struct TupleView<T>: View {
    public typealias Body = Never
    public var value: T
    let views: [any View]

    init<each Content: View>(_ value: (repeat each Content)) where T == (repeat each Content) {
        self.value = value
        var views: [any View] = []
        repeat views.append(each value)
        self.views = views
    }
}

@MainActor
extension TupleView: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] {
        views.enumerated().map { ChildView(key: .index($0.offset), view: $0.element) }
    }
}

public nonisolated struct _ConditionalContent<TrueContent, FalseContent> {
    enum Storage {
        case trueContent(TrueContent)
        case falseContent(FalseContent)
    }

    let storage: Storage
}

extension _ConditionalContent: View where TrueContent: View, FalseContent: View {
    public typealias Body = Never
}

@MainActor
extension _ConditionalContent: PrimitiveView where TrueContent: View, FalseContent: View {
    package func children(of node: ViewNode) -> [ChildView] {
        switch storage {
        case .trueContent(let view): [ChildView(key: .index(0), view: view)]
        case .falseContent(let view): [ChildView(key: .index(1), view: view)]
        }
    }
}

extension Optional: View where Wrapped: View {
    public typealias Body = Never
}

@MainActor
extension Optional: PrimitiveView where Wrapped: View {
    package func children(of node: ViewNode) -> [ChildView] {
        map { [ChildView(key: .index(0), view: $0)] } ?? []
    }
}

public nonisolated struct AnyView: View {
    public typealias Body = Never
    let view: any View

    public init<V>(_ view: V) where V: View { self.view = view }
    public init<V>(erasing view: V) where V: View { self.view = view }
}

@MainActor
extension AnyView: PrimitiveView {
    // Another type inside makes another node: its state starts anew.
    package func children(of node: ViewNode) -> [ChildView] { [ChildView(key: .index(0), view: view)] }
}

public nonisolated struct Group<Content> {
    let content: Content
}

extension Group: View where Content: View {
    public typealias Body = Never

    public nonisolated init(@ViewBuilder content: () -> Content) { self.content = content() }
}

@MainActor
extension Group: PrimitiveView where Content: View {
    package func children(of node: ViewNode) -> [ChildView] { [ChildView(key: .index(0), view: content)] }
}

/// Gives a view an identity of its own: another one makes another view, with fresh state.
public nonisolated struct _IdentifiedView<ID: Hashable, Content: View>: View {
    public typealias Body = Never
    let id: ID
    let content: Content
}

/// Tells views that were given an identity, whatever they are.
package protocol IdentifiedView {}

@MainActor
extension _IdentifiedView: PrimitiveView, IdentifiedView {
    package func children(of node: ViewNode) -> [ChildView] {
        [ChildView(key: .explicit(AnyHashable(id)), view: content)]
    }
}

extension View {
    public nonisolated func id<ID>(_ id: ID) -> some View where ID: Hashable {
        _IdentifiedView(id: id, content: self)
    }
}

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: View {
    public var body: Never { fatalError("Never has no body") }
}

// What is drawn or arranged by the host itself has no body.
extension View where Body == Never {
    public var body: Never { fatalError("\(Self.self) is a primitive: it has no body") }
}

@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Self.Content) -> Self.Body
}

extension ViewModifier where Body == Never {
    public func body(content: Content) -> Never { fatalError("\(Self.self) is a primitive: it has no body") }
}

/// The view that a modifier is applied to, as its body sees it.
public nonisolated struct _ViewModifier_Content<Modifier: ViewModifier> {
    let content: any View
}

@MainActor
extension _ViewModifier_Content: View, PrimitiveView {
    public typealias Body = Never

    package func children(of node: ViewNode) -> [ChildView] {
        [ChildView(key: .index(0), view: content)]
    }
}

public nonisolated struct ModifiedContent<Content, Modifier> {
    public var content: Content
    public var modifier: Modifier

    public init(content: Content, modifier: Modifier) {
        self.content = content
        self.modifier = modifier
    }
}

extension View {
    public nonisolated func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> {
        ModifiedContent(content: self, modifier: modifier)
    }
}

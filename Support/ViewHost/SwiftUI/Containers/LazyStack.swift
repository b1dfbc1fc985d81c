public struct PinnedScrollableViews: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let sectionHeaders = PinnedScrollableViews(rawValue: 1)
    public static let sectionFooters = PinnedScrollableViews(rawValue: 2)
}

public nonisolated struct LazyVStack<Content>: View where Content: View {
    public typealias Body = Never
    let alignment: HorizontalAlignment
    let spacing: CGFloat?
    let content: Content

    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        pinnedViews: PinnedScrollableViews = .init(), @ViewBuilder content: () -> Content
    ) {
        self.alignment = alignment
        self.spacing = spacing
        self.content = content()
    }
}

@MainActor
extension LazyVStack: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] {
        LazyRows.update(node, content: content)
    }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [
            LazyItem(
                node,
                columns: [
                    GridItem(.flexible(minimum: 0), alignment: Alignment(horizontal: alignment, vertical: .center))
                ],
                lineSpacing: spacing ?? 8)
        ]
    }
}

public struct GridItem: Sendable {
    public enum Size: Sendable {
        case fixed(CGFloat)
        case flexible(minimum: CGFloat = 10, maximum: CGFloat = .infinity)
        case adaptive(minimum: CGFloat, maximum: CGFloat = .infinity)
    }

    public var size: Size
    public var spacing: CGFloat?
    public var alignment: Alignment?

    public init(_ size: Size = .flexible(), spacing: CGFloat? = nil, alignment: Alignment? = nil) {
        self.size = size
        self.spacing = spacing
        self.alignment = alignment
    }
}

public nonisolated struct LazyVGrid<Content>: View where Content: View {
    public typealias Body = Never
    let columns: [GridItem]
    let alignment: HorizontalAlignment
    let spacing: CGFloat?
    let content: Content

    public init(
        columns: [GridItem], alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        pinnedViews: PinnedScrollableViews = .init(), @ViewBuilder content: () -> Content
    ) {
        self.columns = columns
        self.alignment = alignment
        self.spacing = spacing
        self.content = content()
    }
}

@MainActor
extension LazyVGrid: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] {
        LazyRows.update(node, content: content)
    }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [LazyItem(node, columns: columns, lineSpacing: spacing ?? 8)]
    }
}

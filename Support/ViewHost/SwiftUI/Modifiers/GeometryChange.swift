public struct GeometryProxy: Sendable {
    public let size: CGSize
    let global: CGRect
    public var safeAreaInsets: EdgeInsets { EdgeInsets() }

    /// The frame in the window. The slice has no named spaces: `.local` starts at zero, all others are the window.
    public func frame(in coordinateSpace: some CoordinateSpaceProtocol) -> CGRect {
        coordinateSpace is LocalCoordinateSpace ? CGRect(origin: .zero, size: size) : global
    }
}

public protocol CoordinateSpaceProtocol {}
public struct LocalCoordinateSpace: CoordinateSpaceProtocol, Sendable {
    public init() {}
}
public struct GlobalCoordinateSpace: CoordinateSpaceProtocol, Sendable {
    public init() {}
}
extension CoordinateSpaceProtocol where Self == LocalCoordinateSpace {
    public static var local: LocalCoordinateSpace { LocalCoordinateSpace() }
}
extension CoordinateSpaceProtocol where Self == GlobalCoordinateSpace {
    public static var global: GlobalCoordinateSpace { GlobalCoordinateSpace() }
}

public nonisolated struct _GeometryModifier<Value: Equatable & Sendable>: ViewModifier {
    public typealias Body = Never
    let transform: @Sendable (GeometryProxy) -> Value
    let action: (Value, Value) -> Void
}

@MainActor
extension _GeometryModifier: PrimitiveModifier {
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem {
        LayoutItem(node, children: [item])
    }
    package var lifecycle: (any Lifecycle)? { self }
}

@MainActor
extension _GeometryModifier: Lifecycle {
    // Called with the first value, too.
    package func laidOut(_ item: LayoutItem) {
        let value = transform(GeometryProxy(size: item.frame.size, global: item.frame))
        let old = item.node.storage as? Value
        guard old != value else { return }
        item.node.storage = value
        action(old ?? value, value)
    }

    package func disappeared(_ node: ViewNode) { node.storage = nil }
}

public nonisolated struct _ScrollVisibilityModifier: ViewModifier {
    public typealias Body = Never
    let threshold: Double
    let action: (Bool) -> Void
}

@MainActor
extension _ScrollVisibilityModifier: PrimitiveModifier {
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem {
        LayoutItem(node, children: [item])
    }
    package var lifecycle: (any Lifecycle)? { self }
}

@MainActor
extension _ScrollVisibilityModifier: Lifecycle {
    package func laidOut(_ item: LayoutItem) {
        let seen = item.frame.intersection(item.viewport)
        let area = item.frame.width * item.frame.height
        let share = seen.isNull || area == 0 ? 0 : seen.width * seen.height / area
        let isVisible = share >= threshold && share > 0
        let was = item.node.storage as? Bool ?? false
        guard isVisible != was else { return }
        item.node.storage = isVisible
        action(isVisible)
    }

    package func disappeared(_ node: ViewNode) {
        guard node.storage as? Bool == true else { return }
        node.storage = nil
        action(false)
    }
}

extension View {
    @preconcurrency
    public nonisolated func onGeometryChange<T>(
        for type: T.Type, of transform: @escaping @Sendable (GeometryProxy) -> T, action: @escaping (T) -> Void
    ) -> some View where T: Equatable, T: Sendable {
        modifier(_GeometryModifier(transform: transform) { _, value in action(value) })
    }

    @preconcurrency
    public nonisolated func onGeometryChange<T>(
        for type: T.Type, of transform: @escaping @Sendable (GeometryProxy) -> T, action: @escaping (T, T) -> Void
    ) -> some View where T: Equatable, T: Sendable {
        modifier(_GeometryModifier(transform: transform, action: action))
    }

    public nonisolated func onScrollVisibilityChange(
        threshold: Double = 0.5, _ action: @escaping (Bool) -> Void
    ) -> some View {
        modifier(_ScrollVisibilityModifier(threshold: threshold, action: action))
    }
}

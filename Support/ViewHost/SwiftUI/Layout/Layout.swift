public protocol Animatable {}

@preconcurrency
public protocol Layout: Sendable, Animatable {
    associatedtype Cache = Void
    typealias Subviews = LayoutSubviews

    static var layoutProperties: LayoutProperties { get }
    func makeCache(subviews: Self.Subviews) -> Self.Cache
    func updateCache(_ cache: inout Self.Cache, subviews: Self.Subviews)
    func spacing(subviews: Self.Subviews, cache: inout Self.Cache) -> ViewSpacing
    func sizeThatFits(proposal: ProposedViewSize, subviews: Self.Subviews, cache: inout Self.Cache) -> CGSize
    func placeSubviews(
        in bounds: CGRect, proposal: ProposedViewSize, subviews: Self.Subviews, cache: inout Self.Cache)
    func explicitAlignment(
        of guide: HorizontalAlignment, in bounds: CGRect, proposal: ProposedViewSize, subviews: Self.Subviews,
        cache: inout Self.Cache
    ) -> CGFloat?
    func explicitAlignment(
        of guide: VerticalAlignment, in bounds: CGRect, proposal: ProposedViewSize, subviews: Self.Subviews,
        cache: inout Self.Cache
    ) -> CGFloat?
}

extension Layout where Cache == Void {
    public func makeCache(subviews: Self.Subviews) {}
}

extension Layout {
    public static var layoutProperties: LayoutProperties { LayoutProperties() }
    public func updateCache(_ cache: inout Self.Cache, subviews: Self.Subviews) {
        cache = makeCache(subviews: subviews)
    }
    public func spacing(subviews: Self.Subviews, cache: inout Self.Cache) -> ViewSpacing { ViewSpacing() }
    public func explicitAlignment(
        of guide: HorizontalAlignment, in bounds: CGRect, proposal: ProposedViewSize, subviews: Self.Subviews,
        cache: inout Self.Cache
    ) -> CGFloat? { nil }
    public func explicitAlignment(
        of guide: VerticalAlignment, in bounds: CGRect, proposal: ProposedViewSize, subviews: Self.Subviews,
        cache: inout Self.Cache
    ) -> CGFloat? { nil }

    public func callAsFunction<V>(@ViewBuilder _ content: () -> V) -> some View where V: View {
        _LayoutView(layout: self, content: content())
    }
}

public struct LayoutProperties: Sendable {
    public var stackOrientation: Axis?
    public init() {}
}

/// Spacing that a view prefers: the slice knows one for all, 8 points.
public struct ViewSpacing: Sendable {
    public static let zero = ViewSpacing(points: 0)
    let points: CGFloat
    public init() { points = 8 }
    init(points: CGFloat) { self.points = points }
    public func distance(to next: ViewSpacing, along axis: Axis) -> CGFloat { max(points, next.points) }
}

public protocol LayoutValueKey {
    associatedtype Value
    static var defaultValue: Self.Value { get }
}

public struct ViewDimensions: Equatable, Sendable {
    public let width: CGFloat
    public let height: CGFloat

    public subscript(guide: HorizontalAlignment) -> CGFloat { width * guide.fraction }
    public subscript(guide: VerticalAlignment) -> CGFloat { height * guide.fraction }
    public subscript(explicit guide: HorizontalAlignment) -> CGFloat? { nil }
    public subscript(explicit guide: VerticalAlignment) -> CGFloat? { nil }
}

// A layout isn't tied to the main actor, but the host calls it there only; the items behind its subviews are.
public struct LayoutSubview: Equatable, @unchecked Sendable {
    let item: LayoutItem
    let placements: Placements

    public static func == (left: LayoutSubview, right: LayoutSubview) -> Bool { left.item === right.item }

    public var priority: Double { MainActor.assumeIsolated { item.layoutPriority } }
    public var spacing: ViewSpacing { MainActor.assumeIsolated { item.isSpacer ? .zero : ViewSpacing() } }

    public func sizeThatFits(_ proposal: ProposedViewSize) -> CGSize {
        MainActor.assumeIsolated { item.sizeThatFits(proposal) }
    }

    public func dimensions(in proposal: ProposedViewSize) -> ViewDimensions {
        let size = sizeThatFits(proposal)
        return ViewDimensions(width: size.width, height: size.height)
    }

    public func place(at position: CGPoint, anchor: UnitPoint = .topLeading, proposal: ProposedViewSize) {
        MainActor.assumeIsolated {
            placements.place(item, at: position, anchor: anchor, proposal: proposal)
        }
    }

    public subscript<K>(key: K.Type) -> K.Value where K: LayoutValueKey {
        // The value stays on this thread: the box only takes it past the check.
        MainActor.assumeIsolated { UncheckedBox(item.layoutValue(key)) }.value
    }
}

public struct LayoutSubviews: RandomAccessCollection, Equatable, Sendable {
    let subviews: [LayoutSubview]
    public var layoutDirection: LayoutDirection = .leftToRight
    public var startIndex: Int { 0 }
    public var endIndex: Int { subviews.count }
    public subscript(index: Int) -> LayoutSubview { subviews[index] }
}

struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Where a layout put its subviews, in one call of `placeSubviews`.
@MainActor
final class Placements {
    var frames: [ObjectIdentifier: (rect: CGRect, proposal: ProposedViewSize)] = [:]

    nonisolated init() {}

    func place(_ item: LayoutItem, at position: CGPoint, anchor: UnitPoint, proposal: ProposedViewSize) {
        let size = item.sizeThatFits(proposal)
        let origin = CGPoint(x: position.x - size.width * anchor.x, y: position.y - size.height * anchor.y)
        frames[ObjectIdentifier(item)] = (CGRect(origin: origin, size: size), proposal)
    }
}

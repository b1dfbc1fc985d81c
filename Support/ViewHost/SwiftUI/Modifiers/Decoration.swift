/// Changes how the content is drawn or described, and nothing about its layout.
public nonisolated struct _DecorationModifier: ViewModifier {
    public typealias Body = Never
    var priority: Double?
    var change: @MainActor (inout Element) -> Void = { _ in }
}

@MainActor
extension _DecorationModifier: PrimitiveModifier {
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem {
        DecorationItem(node, item, priority: priority, change: change)
    }
}

/// Cuts what is drawn outside its frame.
public nonisolated struct _ClipModifier: ViewModifier {
    public typealias Body = Never
}

@MainActor
extension _ClipModifier: PrimitiveModifier {
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem { ClipItem(node, children: [item]) }
}

private final class ClipItem: LayoutItem {
    override func decorate(_ elements: [Element]) -> [Element] { elements.map { $0.clipped(to: frame) } }
}

extension View {
    public nonisolated func opacity(_ opacity: Double) -> some View {
        modifier(_DecorationModifier { $0.opacity *= opacity })
    }

    /// Hidden views keep their place, and live on.
    public nonisolated func hidden() -> some View { modifier(_DecorationModifier { $0.isHidden = true }) }

    public nonisolated func clipped(antialiased: Bool = false) -> some View { modifier(_ClipModifier()) }

    // The frame's rectangle stands for any shape.
    public nonisolated func clipShape<S>(_ shape: S) -> some View where S: Shape { modifier(_ClipModifier()) }

    public nonisolated func cornerRadius(_ radius: CGFloat, antialiased: Bool = true) -> some View {
        modifier(_ClipModifier())
    }

    public nonisolated func blur(radius: CGFloat, opaque: Bool = false) -> some View { modifier(_DecorationModifier()) }
    public nonisolated func scaleEffect(_ s: CGFloat, anchor: UnitPoint = .center) -> some View {
        modifier(_DecorationModifier())
    }
    public nonisolated func rotationEffect(_ angle: Angle, anchor: UnitPoint = .center) -> some View {
        modifier(_DecorationModifier())
    }
    public nonisolated func allowedDynamicRange(_ range: Image.DynamicRange?) -> some View {
        modifier(_DecorationModifier())
    }
    public nonisolated func contentTransition(_ transition: ContentTransition) -> some View {
        modifier(_DecorationModifier())
    }

    public nonisolated func accessibilityLabel(_ label: Text) -> some View {
        modifier(_DecorationModifier { $0.accessibilityLabel = label.string })
    }

    public nonisolated func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View {
        accessibilityLabel(Text(labelKey))
    }

    @_disfavoredOverload
    public nonisolated func accessibilityLabel<S>(_ label: S) -> some View where S: StringProtocol {
        accessibilityLabel(Text(label))
    }

    public nonisolated func accessibilityHidden(_ hidden: Bool) -> some View {
        modifier(_DecorationModifier { $0.isAccessibilityHidden = hidden })
    }
}

public struct Angle: Hashable, Sendable {
    public var radians: Double
    public static func degrees(_ degrees: Double) -> Angle { Angle(radians: degrees * .pi / 180) }
    public static func radians(_ radians: Double) -> Angle { Angle(radians: radians) }
}

public struct ContentTransition: Equatable, Sendable {
    let name: String
    public static let identity = ContentTransition(name: "identity")
    public static let opacity = ContentTransition(name: "opacity")
    public static let interpolate = ContentTransition(name: "interpolate")
}

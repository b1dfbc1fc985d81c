public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable {
    let string: String
    public init(_ value: String) { string = value }
    public init(stringLiteral value: String) { string = value }
}

/// Text. Each character is 8 points wide and a line is 16 high; lines break where the width ends.
public nonisolated struct Text: View, Equatable, Sendable {
    public typealias Body = Never
    let string: String

    public init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) {
        string = key.string
    }

    public init(verbatim content: String) { string = content }

    @_disfavoredOverload
    public init<S>(_ content: S) where S: StringProtocol { string = String(content) }

    public func bold() -> Text { self }
    public func italic() -> Text { self }
    public func font(_ font: Font?) -> Text { self }
    public func foregroundColor(_ color: Color?) -> Text { self }

    public static func + (left: Text, right: Text) -> Text { Text(verbatim: left.string + right.string) }
}

public struct Font: Hashable, Sendable {
    let name: String
    public static let largeTitle = Font(name: "largeTitle")
    public static let title = Font(name: "title")
    public static let headline = Font(name: "headline")
    public static let subheadline = Font(name: "subheadline")
    public static let body = Font(name: "body")
    public static let callout = Font(name: "callout")
    public static let footnote = Font(name: "footnote")
    public static let caption = Font(name: "caption")
}

@MainActor
extension Text: PrimitiveView {
    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        let count = CGFloat(string.count)
        return [
            LeafItem(node, .text(string)) { proposal in
                let line = max(min(proposal.width.map { ($0 / 8).rounded(.down) } ?? count, count), 1)
                guard count > 0 else { return .zero }
                let lines = (count / line).rounded(.up)
                let shown = min(lines, proposal.height.map { max(($0 / 16).rounded(.down), 1) } ?? lines)
                return CGSize(width: line * 8, height: shown * 16)
            }
        ]
    }
}

extension View {
    public nonisolated func font(_ font: Font?) -> some View { modifier(_DecorationModifier()) }
    public nonisolated func lineLimit(_ number: Int?) -> some View { modifier(_DecorationModifier()) }
    public nonisolated func foregroundStyle<S>(_ style: S) -> some View where S: ShapeStyle {
        modifier(_DecorationModifier())
    }
    public nonisolated func tint(_ tint: Color?) -> some View { modifier(_DecorationModifier()) }
}

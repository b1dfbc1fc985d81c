public protocol ShapeStyle: Sendable {}

public struct Color: Hashable, Sendable, ShapeStyle {
    let name: String

    public init(_ name: String, bundle: Bundle? = nil) { self.name = name }
    public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {
        name = "\(red) \(green) \(blue) \(opacity)"
    }
    public init(white: Double, opacity: Double = 1) {
        self.init(red: white, green: white, blue: white, opacity: opacity)
    }

    public func opacity(_ opacity: Double) -> Color { Color("\(name) * \(opacity)") }

    public static let red = Color("red")
    public static let orange = Color("orange")
    public static let yellow = Color("yellow")
    public static let green = Color("green")
    public static let blue = Color("blue")
    public static let purple = Color("purple")
    public static let pink = Color("pink")
    public static let gray = Color("gray")
    public static let black = Color("black")
    public static let white = Color("white")
    public static let clear = Color("clear")
    public static let primary = Color("primary")
    public static let secondary = Color("secondary")
    public static let accentColor = Color("accentColor")
}

extension Color: View {
    public typealias Body = Never
}

@MainActor
extension Color: PrimitiveView {
    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [LeafItem(node, .color(self)) { $0.replacingUnspecifiedDimensions() }]
    }
}

/// How a view comes and goes. The host doesn't run it: a frame tells which one an inserted view had.
public struct AnyTransition {
    package let name: String

    public static var identity: AnyTransition { AnyTransition(name: "identity") }
    public static var opacity: AnyTransition { AnyTransition(name: "opacity") }
    public static var slide: AnyTransition { AnyTransition(name: "slide") }
    public static var scale: AnyTransition { AnyTransition(name: "scale") }
    public static func scale(scale: CGFloat, anchor: UnitPoint = .center) -> AnyTransition {
        AnyTransition(name: "scale(\(scale))")
    }
    public static func move(edge: Edge) -> AnyTransition { AnyTransition(name: "move(\(edge))") }
    public static func asymmetric(insertion: AnyTransition, removal: AnyTransition) -> AnyTransition {
        AnyTransition(name: "asymmetric(\(insertion.name), \(removal.name))")
    }
    public func combined(with other: AnyTransition) -> AnyTransition {
        AnyTransition(name: "\(name) + \(other.name)")
    }
    public func animation(_ animation: Animation?) -> AnyTransition { self }
}

// Headers re-export the modules they include.
@_exported public import CoreGraphics

public typealias CFTimeInterval = Double

public class CALayer: NSObject {
    public func add(_ anim: CAAnimation, forKey key: String?) { fatalError() }
}

public class CAAnimation: NSObject {
    public var duration: CFTimeInterval {
        get { fatalError() }
        set { fatalError() }
    }
}

public struct CATransitionType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { fatalError() }
    public static let fade = CATransitionType(rawValue: "fade")
}

public class CATransition: CAAnimation {
    public var type: CATransitionType {
        get { fatalError() }
        set { fatalError() }
    }
}

public struct UTType: Hashable, Sendable {
    public var identifier: String { fatalError() }
    public static var jpeg: UTType { fatalError() }
    public static var png: UTType { fatalError() }
    public static var gif: UTType { fatalError() }
    public static var webP: UTType { fatalError() }
    public static var heic: UTType { fatalError() }
}

@_exported public import Foundation

public typealias CFString = String
public typealias CFData = Data
public typealias CFMutableData = NSMutableData
public typealias CFArray = [Any]
public typealias CFDictionary = [CFString: Any]

public final class CGColorSpace: Sendable {
    public init?(name: CFString) { fatalError() }
    public var name: CFString? { fatalError() }
    public class var sRGB: CFString { fatalError() }
    public class var displayP3: CFString { fatalError() }
}

public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { fatalError() }

public enum CGImageAlphaInfo: UInt32, Sendable {
    case none
    case premultipliedLast
    case premultipliedFirst
    case last
    case first
    case noneSkipLast
    case noneSkipFirst
    case alphaOnly
}

public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public enum CGColorRenderingIntent: Int32, Sendable {
    case defaultIntent
}

public final class CGDataProvider {
    public init?(data: CFData) { fatalError() }
}

public final class CGImage: Sendable, Hashable {
    public init?(
        width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
        bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
        intent: CGColorRenderingIntent
    ) { fatalError() }
    public var width: Int { fatalError() }
    public var height: Int { fatalError() }
    public var bytesPerRow: Int { fatalError() }
    public var colorSpace: CGColorSpace? { fatalError() }
    public func cropping(to rect: CGRect) -> CGImage? { fatalError() }
    public static func == (left: CGImage, right: CGImage) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
}

public final class CGContext {
    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) { fatalError() }
    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) { fatalError() }
}

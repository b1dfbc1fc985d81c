// Headers re-export the modules they include.
@_exported public import CoreGraphics

public typealias NSSize = CGSize

/// Not Sendable, as in the SDK.
public class NSImage {
    public init(cgImage: CGImage, size: NSSize) { fatalError() }
    public var size: NSSize { fatalError() }
}

// Headers re-export the modules they include.
@_exported public import QuartzCore

public typealias NSSize = CGSize
public typealias NSPoint = CGPoint
public typealias NSRect = CGRect

/// Not Sendable, as in the SDK.
public class NSImage {
    public init(cgImage: CGImage, size: NSSize) { fatalError() }
    public var size: NSSize { fatalError() }
}

@MainActor
open class NSResponder: NSObject {}

@MainActor
open class NSView: NSResponder {
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var width: AutoresizingMask { fatalError() }
        public static var height: AutoresizingMask { fatalError() }
    }

    public init(frame frameRect: NSRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }

    open var frame: NSRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var bounds: NSRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var autoresizingMask: AutoresizingMask {
        get { fatalError() }
        set { fatalError() }
    }
    open var window: NSWindow? { fatalError() }
    open var isHiddenOrHasHiddenAncestor: Bool { fatalError() }
    open var visibleRect: NSRect { fatalError() }
    open var wantsLayer: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    open var layer: CALayer? {
        get { fatalError() }
        set { fatalError() }
    }
    open var subviews: [NSView] {
        get { fatalError() }
        set { fatalError() }
    }
    open func addSubview(_ view: NSView) { fatalError() }
    open func hitTest(_ point: NSPoint) -> NSView? { fatalError() }
    open func setFrameSize(_ newSize: NSSize) { fatalError() }
    open func viewDidMoveToWindow() { fatalError() }
    open func viewDidChangeBackingProperties() { fatalError() }
}

@MainActor
open class NSWindow: NSResponder {
    public struct OcclusionState: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var visible: OcclusionState { fatalError() }
    }

    public struct StyleMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var titled: StyleMask { fatalError() }
    }

    public enum BackingStoreType: UInt, Sendable {
        case buffered = 2
    }

    public init(
        contentRect: NSRect, styleMask style: StyleMask, backing backingStoreType: BackingStoreType, defer flag: Bool
    ) { fatalError() }

    open var backingScaleFactor: CGFloat { fatalError() }
    open var occlusionState: OcclusionState { fatalError() }
    open var isReleasedWhenClosed: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    open var contentView: NSView? {
        get { fatalError() }
        set { fatalError() }
    }
    open func orderFrontRegardless() { fatalError() }
    open func layoutIfNeeded() { fatalError() }
    open func close() { fatalError() }
}

@MainActor
open class NSApplication: NSResponder {
    open class var shared: NSApplication { fatalError() }
}

@MainActor
open class NSClipView: NSView {
    open func scroll(to newOrigin: NSPoint) { fatalError() }
}

@MainActor
open class NSScrollView: NSView {
    open var contentView: NSClipView {
        get { fatalError() }
        set { fatalError() }
    }
    open var documentView: NSView? {
        get { fatalError() }
        set { fatalError() }
    }
    open func reflectScrolledClipView(_ cView: NSClipView) { fatalError() }
}

@MainActor
open class NSScreen: NSObject {
    open class var main: NSScreen? { fatalError() }
    open var backingScaleFactor: CGFloat { fatalError() }
}

public enum NSImageScaling: UInt, Sendable {
    case scaleProportionallyDown
    case scaleAxesIndependently
    case scaleNone
    case scaleProportionallyUpOrDown
}

@MainActor
open class NSControl: NSView {}

@MainActor
open class NSImageView: NSControl {
    open var image: NSImage? {
        get { fatalError() }
        set { fatalError() }
    }
    open var imageScaling: NSImageScaling {
        get { fatalError() }
        set { fatalError() }
    }
}

@MainActor
open class NSCollectionView: NSView {}

public protocol NSCollectionViewPrefetching: NSObjectProtocol {
    @MainActor func collectionView(_ collectionView: NSCollectionView, prefetchItemsAt indexPaths: [IndexPath])
    @MainActor func collectionView(
        _ collectionView: NSCollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

/// Neither Sendable nor of an actor, as its page has it.
open class NSWorkspace: NSObject {
    open class var shared: NSWorkspace { fatalError() }
    open var notificationCenter: NotificationCenter { fatalError() }
    open var accessibilityDisplayShouldReduceMotion: Bool { fatalError() }
    public static let accessibilityDisplayOptionsDidChangeNotification = NSNotification.Name("")
}

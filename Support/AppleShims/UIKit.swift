// Headers re-export the modules they include.
@_exported public import QuartzCore

public final class UIImage: Sendable {
    public enum Orientation: Int, Sendable {
        case up
        case down
        case left
        case right
        case upMirrored
        case downMirrored
        case leftMirrored
        case rightMirrored
    }

    public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) { fatalError() }
    public var size: CGSize { fatalError() }
    public var scale: CGFloat { fatalError() }
}

@MainActor
open class UIResponder: NSObject {}

@MainActor
open class UIView: UIResponder {
    public enum ContentMode: Int, Sendable {
        case scaleToFill
        case scaleAspectFit
        case scaleAspectFill
        case redraw
        case center
        case top
        case bottom
        case left
        case right
        case topLeft
        case topRight
        case bottomLeft
        case bottomRight
    }

    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var flexibleWidth: AutoresizingMask { fatalError() }
        public static var flexibleHeight: AutoresizingMask { fatalError() }
    }

    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var allowUserInteraction: AnimationOptions { fatalError() }
        public static var transitionCrossDissolve: AnimationOptions { fatalError() }
    }

    public init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }

    open var bounds: CGRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var contentMode: ContentMode {
        get { fatalError() }
        set { fatalError() }
    }
    open var autoresizingMask: AutoresizingMask {
        get { fatalError() }
        set { fatalError() }
    }
    open var isUserInteractionEnabled: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    open var isHidden: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    open var alpha: CGFloat {
        get { fatalError() }
        set { fatalError() }
    }
    open var frame: CGRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var superview: UIView? { fatalError() }
    open var subviews: [UIView] { fatalError() }
    open func layoutIfNeeded() { fatalError() }
    open var window: UIWindow? { fatalError() }
    open var traitCollection: UITraitCollection { fatalError() }
    open func insertSubview(_ view: UIView, at index: Int) { fatalError() }
    open func convert(_ rect: CGRect, to view: UIView?) -> CGRect { fatalError() }
    open func layoutSubviews() { fatalError() }
    open func didMoveToWindow() { fatalError() }
    open class func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) { fatalError() }
}

extension NSObject {
    @MainActor public var isAccessibilityElement: Bool {
        get { fatalError() }
        set { fatalError() }
    }
}

@MainActor
open class UIViewController: NSObject {}

@MainActor
open class UIWindow: UIView {
    open var rootViewController: UIViewController? {
        get { fatalError() }
        set { fatalError() }
    }
}

@MainActor
open class UITraitCollection: NSObject {
    open class var current: UITraitCollection {
        get { fatalError() }
        set { fatalError() }
    }
    open var displayScale: CGFloat { fatalError() }
}

@MainActor
open class UIImageView: UIView {
    open var image: UIImage? {
        get { fatalError() }
        set { fatalError() }
    }
}

@MainActor
open class UIControl: UIView {
    public struct State: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var normal: State { fatalError() }
        public static var highlighted: State { fatalError() }
    }
}

@MainActor
open class UIButton: UIControl {
    open func image(for state: UIControl.State) -> UIImage? { fatalError() }
    open func backgroundImage(for state: UIControl.State) -> UIImage? { fatalError() }
    open func setImage(_ image: UIImage?, for state: UIControl.State) { fatalError() }
    open func setBackgroundImage(_ image: UIImage?, for state: UIControl.State) { fatalError() }
}

@MainActor
open class UIScrollView: UIView {
    open var contentOffset: CGPoint {
        get { fatalError() }
        set { fatalError() }
    }
    open var contentSize: CGSize {
        get { fatalError() }
        set { fatalError() }
    }
}

@MainActor
open class UICollectionViewLayout: NSObject {}

@MainActor
open class UICollectionViewFlowLayout: UICollectionViewLayout {}

@MainActor
open class UICollectionView: UIScrollView {
    public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)? {
        get { fatalError() }
        set { fatalError() }
    }
}

@MainActor
open class UITableView: UIScrollView {}

@MainActor
public protocol UICollectionViewDataSourcePrefetching: NSObjectProtocol {
    func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
    func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

@MainActor
public protocol UITableViewDataSourcePrefetching: NSObjectProtocol {
    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
    func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
}

public enum UIAccessibility {
    @MainActor public static var isReduceMotionEnabled: Bool { fatalError() }
    public static let reduceMotionStatusDidChangeNotification = NSNotification.Name("")
}

extension IndexPath {
    public init(item: Int, section: Int) { fatalError() }
    public var item: Int { fatalError() }
}

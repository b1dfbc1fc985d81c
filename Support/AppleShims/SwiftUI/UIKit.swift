public import UIKit

// What SwiftUI declares where there is UIKit.
extension Image {
    public init(uiImage: UIImage) { fatalError() }
}

@MainActor
open class UIHostingController<Content: View>: UIViewController {
    public init(rootView: Content) { fatalError() }
}

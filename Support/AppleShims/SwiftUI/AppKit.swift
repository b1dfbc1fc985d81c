public import AppKit
public import Foundation

// What SwiftUI declares where there is AppKit.
extension Image {
    public nonisolated init(nsImage: NSImage) { fatalError() }
}

@MainActor
open class NSHostingView<Content: View>: NSView {
    public required init(rootView: Content) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
}

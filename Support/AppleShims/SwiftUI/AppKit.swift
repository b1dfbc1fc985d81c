public import AppKit

// What SwiftUI declares where there is AppKit.
extension Image {
    public nonisolated init(nsImage: NSImage) { fatalError() }
}

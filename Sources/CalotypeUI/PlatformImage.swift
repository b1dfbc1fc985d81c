public import Calotype
public import SwiftUI

#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

extension Image {
    /// An image of decoded pixels, as large as if it had all those of its file.
    ///
    /// - Parameter scale: Pixels of the file per point.
    public nonisolated init(_ image: DecodedImage, scale: CGFloat = 1) {
        let scale = scale > 0 && scale.isFinite ? scale : 1
        // Fewer pixels were decoded than the file has: each stands for more of a point.
        let share = CGFloat(image.pixelSize.width) / CGFloat(max(image.originalPixelSize.width, 1))
        // Not the initialisers for decoration: VoiceOver is to find an image here, as with AsyncImage.
        #if canImport(UIKit)
        self.init(uiImage: UIImage(cgImage: image.cgImage, scale: scale * share, orientation: .up))
        #elseif canImport(AppKit)
        let size = NSSize(
            width: CGFloat(image.pixelSize.width) / (scale * share),
            height: CGFloat(image.pixelSize.height) / (scale * share))
        self.init(nsImage: NSImage(cgImage: image.cgImage, size: size))
        #else
        let size = CGSize(
            width: CGFloat(image.pixelSize.width) / (scale * share),
            height: CGFloat(image.pixelSize.height) / (scale * share))
        self.init(hosted: image, size: size)
        #endif
    }
}

extension DecodedImage {
    /// An image that takes the size that it is given.
    public nonisolated func resizable(
        capInsets: EdgeInsets = EdgeInsets(), resizingMode: Image.ResizingMode = .stretch
    ) -> Image {
        Image(self).resizable(capInsets: capInsets, resizingMode: resizingMode)
    }
}

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
        // Not the initialisers for decoration: VoiceOver is to find an image here, as with AsyncImage. The pixels are upright,
        // and in their own colour space.
        #if canImport(UIKit)
        // Fewer pixels were decoded than the file has: each stands for more of a point.
        let share = CGFloat(image.pixelSize.width) / CGFloat(max(image.originalPixelSize.width, 1))
        self.init(uiImage: UIImage(cgImage: image.cgImage, scale: scale * share, orientation: .up))
        #else
        let size = CGSize(
            width: CGFloat(image.originalPixelSize.width) / scale,
            height: CGFloat(image.originalPixelSize.height) / scale)
        #if canImport(AppKit)
        self.init(nsImage: NSImage(cgImage: image.cgImage, size: size))
        #else
        self.init(hosted: image, size: size)
        #endif
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

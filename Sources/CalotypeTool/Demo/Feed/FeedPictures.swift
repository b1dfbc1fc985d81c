import Calotype
import Foundation

/// The pictures of the feed: the photos, then parts of them, so that each row has a picture of its own.
enum FeedPictures {
    /// As many as there can be: each photo, and its four corners.
    static let most = 30

    /// Makes JPEG files. Neighbours are of different photos.
    static func make(_ count: Int) throws -> [Data] {
        precondition((0...most).contains(count), "There are \(most) pictures; asked for \(count).")
        let photos = try Photo.all()
        let bitmaps = try count > photos.count ? photos.map { try ImageDecoders.system.decode($0.data).bitmap } : []
        return try (0..<count).map { index in
            let photo = index % photos.count
            guard index >= photos.count else { return photos[photo].data }
            let part = bitmaps[photo].corner(index / photos.count - 1)
            return try ImageEncoder().encoded(DecodedImage(bitmap: part), as: .jpeg(quality: 85))
        }
    }
}

extension Bitmap {
    /// A corner with three fifths of each side, or with what a row of 264 pixels needs.
    ///
    /// - Parameter number: 0 to 3; the right ones are odd, the lower ones 2 and 3.
    fileprivate func corner(_ number: Int) -> Bitmap {
        let part = max(0.6, min(1, 264 / Double(min(size.width, size.height))))
        let target = PixelSize(
            width: Int((Double(size.width) * part).rounded()), height: Int((Double(size.height) * part).rounded()))
        let left = number.isMultiple(of: 2) ? 0 : size.width - target.width
        let top = number < 2 ? 0 : size.height - target.height
        return withUnsafeBytes { pixels in
            Bitmap(size: target) { buffer in
                let rowByteCount = target.width * 4
                for y in 0..<target.height {
                    let start = (top + y) * bytesPerRow + left * 4
                    UnsafeMutableRawBufferPointer(rebasing: buffer[y * rowByteCount..<(y + 1) * rowByteCount])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: pixels[start..<start + rowByteCount]))
                }
            }
        }
    }
}

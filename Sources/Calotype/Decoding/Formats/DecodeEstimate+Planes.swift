import Foundation

extension DecodeEstimate {
    /// The decoders whose libraries hold the whole picture in planes of their own.
    ///
    ///     AVIF:     planes of the codec
    ///     HEIC:     planes of the codec + a copy of them, and one more where they are turned
    ///     JPEG XL:  the library's own
    static func planes(of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget) -> Int {
        guard let pixelSize, pixelSize.width > 0, pixelSize.height > 0 else {
            return whole(of: data, pixelSize: pixelSize, target: target)
        }
        let result = target.pixelSize(for: pixelSize)
        let library = pixelSize.pixelCount
        return add(add(multiply(library, 6), rows(from: pixelSize, to: result)), byteCount(of: result))
    }
}

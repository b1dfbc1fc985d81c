/// Turns rows of a file's colours into sRGB or Display P3, premultiplied.
///
/// It comes after the resize: a thumbnail's pixels are converted, not the file's.
///
/// - Isolation: Used by one thread.
final class ColorConversion {
    /// The colour space of converted rows.
    let result: DecodedImage.ColorSpace

    /// - Returns: `nil` where rows are what is wanted already.
    init?(_ source: SourceColor, to widest: DecodedImage.ColorSpace, limits: ImageLimits) {
        guard source.model == .cmyk else { return nil }
        result = .sRGB
    }

    /// Converts pixels, 4 bytes each, in place.
    func convert(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        for pixel in 0..<pixelCount {
            let inks = row + pixel * 4
            let light = 255 - UInt32(inks[3])
            for channel in 0..<3 { inks[channel] = UInt8(((255 - UInt32(inks[channel])) * light + 127) / 255) }
            inks[3] = 255
        }
    }
}

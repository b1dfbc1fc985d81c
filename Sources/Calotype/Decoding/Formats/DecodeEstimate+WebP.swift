#if canImport(CCodecs)
import Foundation

extension DecodeEstimate {
    /// How a frame is coded, which decides what the library keeps of it.
    private enum WebPCoding {
        case lossy
        /// The plane is coded by itself.
        case lossyWithAlphaPlane
        case lossless
    }

    /// ``WebPDecoder``, beside rows, the resizer's window and the result.
    ///
    ///     lossy:                  the pixels that the library scales to, or planes (2 bytes for each pixel, rounded up)
    ///     lossy, an alpha plane:  all pixels + the plane + what that is decoded from, 1 or 4 bytes a pixel
    ///     lossless:               all pixels in the library + those that it scales to
    ///     a part of the canvas:   as above, unscaled
    static func webP(of data: Data, pixelSize: PixelSize?, target: PixelTarget) -> Int {
        guard let pixelSize, pixelSize.width > 0, pixelSize.height > 0 else {
            return whole(of: data, pixelSize: pixelSize, target: target)
        }
        let (coding, isWhole, isExtended) = data.withUnsafeBytes { firstFrame(ByteReader($0), canvas: pixelSize) }
        let result = target.pixelSize(for: pixelSize)
        let mayScale = isWhole && coding != .lossyWithAlphaPlane
        let scaled = mayScale ? WebPDecoder.scaledSize(from: pixelSize, to: result) : pixelSize
        let library =
            switch coding {
            case .lossy: 0
            case .lossyWithAlphaPlane: multiply(pixelSize.pixelCount, 5)
            case .lossless: byteCount(of: pixelSize)
            }
        // An extended file may be turned; the others are decoded straight into the result where the size is right.
        let isDirect = isWhole && !isExtended && scaled == result
        let joinsChroma = isWhole && coding == .lossy && WebPDecoder.joinsChroma(from: pixelSize, to: result)
        let given = joinsChroma ? multiply(pixelSize.pixelCount, 2) : byteCount(of: scaled)
        let pixels = isDirect ? library : add(library, given)
        return add(add(pixels, byteCount(of: result)), rows(from: pixelSize, to: result))
    }

    /// What is known of the frame that is decoded. If there is none to be found, what takes most.
    ///
    /// - Source: RFC 9649, sections 2.5 to 2.7.
    private static func firstFrame(
        _ reader: ByteReader, canvas: PixelSize
    ) -> (WebPCoding, isWhole: Bool, isExtended: Bool) {
        let isExtended = reader.has("VP8X", at: 12)
        var (hasAlphaPlane, isWhole) = (false, true)
        var offset = 12
        while let length = reader.little(offset + 4, size: 4) {
            if reader.has("VP8L", at: offset) { return (.lossless, isWhole, isExtended) }
            if reader.has("VP8 ", at: offset) {
                return (hasAlphaPlane ? .lossyWithAlphaPlane : .lossy, isWhole, isExtended)
            }
            if reader.has("ALPH", at: offset) { hasAlphaPlane = true }
            if reader.has("ANMF", at: offset) {
                // Its place, its sides less one, and six more bytes; then chunks of its own.
                let (width, height) = (reader.little(offset + 14, size: 3), reader.little(offset + 17, size: 3))
                isWhole = PixelSize(width: (width ?? 0) + 1, height: (height ?? 0) + 1).pixelCount == canvas.pixelCount
                offset += 24
                continue
            }
            guard length < reader.count - offset else { break }
            offset += 8 + length + length % 2
        }
        return (.lossyWithAlphaPlane, false, isExtended)
    }
}
#endif

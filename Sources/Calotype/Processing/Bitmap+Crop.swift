extension Bitmap {
    /// The centre of the image; where it can't be halved, the left and the upper side lose the smaller part.
    ///
    /// - Parameter target: At least 1 x 1, and no larger than the image.
    package func cropped(to target: PixelSize) -> Bitmap {
        precondition(
            target.width <= size.width && target.height <= size.height, "\(target) doesn't fit into \(size).")
        guard target != size else { return self }
        let left = (size.width - target.width) / 2
        let top = (size.height - target.height) / 2
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

    /// The same image with round, transparent corners whose edge is one pixel soft.
    ///
    /// - Parameter radius: In pixels; at most half of the shorter side counts.
    package func withRoundedCorners(radius: Double, cancellation: DecodeCancellation) throws -> Bitmap {
        let radius = min(radius, Double(min(size.width, size.height)) / 2)
        guard radius > 0 else { return self }
        // The squares in the corners that the arcs pass through; between them, pixels are copied.
        let corner = Int(radius.rounded(.up))
        return try withUnsafeBytes { pixels in
            try Bitmap(size: size) { buffer in
                buffer.copyMemory(from: pixels)
                let base = buffer.baseAddress!.assumingMemoryBound(to: UInt8.self)
                for row in 0..<corner {
                    try cancellation.check()
                    let y = radius - (Double(row) + 0.5)
                    for column in 0..<corner {
                        let x = radius - (Double(column) + 0.5)
                        guard x > 0, y > 0 else { continue }
                        // How far the pixel's centre lies inside the arc, cut to one pixel, is what it covers.
                        let coverage = radius - (x * x + y * y).squareRoot() + 0.5
                        guard coverage < 1 else { continue }
                        let scale = Int((max(coverage, 0) * 256).rounded())
                        for pixelRow in [row, size.height - 1 - row] {
                            for pixelColumn in [column, size.width - 1 - column] {
                                let pixel = base + (pixelRow * size.width + pixelColumn) * 4
                                // Premultiplied: one factor for colour and alpha.
                                for channel in 0..<4 {
                                    pixel[channel] = UInt8((Int(pixel[channel]) * scale + 128) >> 8)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

import Calotype

/// Square prints side by side on paper.
struct ContactSheet {
    let columnCount: Int
    /// The side of a print in pixels.
    let side: Int
    /// Between the prints and around them, in pixels.
    var margin = 28
    /// Red, green and blue of the paper.
    var paper: (UInt8, UInt8, UInt8) = (243, 238, 227)

    /// The sheet, opaque.
    ///
    /// - Parameter prints: Row after row. What is smaller than a print's place lies in its middle; nothing is larger.
    func bitmap(of prints: [Bitmap]) -> Bitmap {
        let columns = max(1, min(columnCount, prints.count))
        let rows = max(1, (prints.count + columns - 1) / columns)
        let size = PixelSize(width: margin + columns * (side + margin), height: margin + rows * (side + margin))
        return Bitmap(size: size) { buffer in
            let pixels = buffer.bindMemory(to: UInt8.self)
            for offset in stride(from: 0, to: pixels.count, by: 4) {
                (pixels[offset], pixels[offset + 1], pixels[offset + 2]) = paper
                pixels[offset + 3] = 255
            }
            for (index, print) in prints.enumerated() {
                precondition(print.size.width <= side && print.size.height <= side, "A print of \(print.size) pixels.")
                let x = margin + index % columns * (side + margin) + (side - print.size.width) / 2
                let y = margin + index / columns * (side + margin) + (side - print.size.height) / 2
                Self.lay(print, onto: pixels, at: (y * size.width + x) * 4, bytesPerRow: size.width * 4)
            }
        }
    }

    /// Source over, where what lies below is opaque. Both have premultiplied alpha.
    private static func lay(
        _ print: Bitmap, onto pixels: UnsafeMutableBufferPointer<UInt8>, at start: Int, bytesPerRow: Int
    ) {
        print.withUnsafeBytes { source in
            for y in 0..<print.size.height {
                for x in 0..<print.size.width {
                    let from = y * print.bytesPerRow + x * 4
                    let to = start + y * bytesPerRow + x * 4
                    let rest = 255 - Int(source[from + 3])
                    for channel in 0..<3 {
                        let below = (Int(pixels[to + channel]) * rest + 127) / 255
                        pixels[to + channel] = UInt8(min(255, Int(source[from + channel]) + below))
                    }
                }
            }
        }
    }
}

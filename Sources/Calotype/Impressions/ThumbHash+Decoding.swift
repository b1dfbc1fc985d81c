extension ThumbHash {
    /// How much more colourful the format wants what it has blurred.
    private static let saturation: Float = 1.25

    /// The picture, in whatever size.
    ///
    /// - Parameter size: Both sides at least 1. What the format proposes is ``approximatePixelSize``.
    package func bitmap(size: PixelSize) -> Bitmap {
        let (shape, averages, scales) = (shape, averages, scales)
        var nibble = 2 * shape.headerByteCount
        let l = Channel(self, &nibble, shape.luminance, averages.l, scales.l)
        let p = Channel(self, &nibble, Shape.color, averages.p, scales.p * Self.saturation)
        let q = Channel(self, &nibble, Shape.color, averages.q, scales.q * Self.saturation)
        let a = shape.hasAlpha ? Channel(self, &nibble, Shape.alpha, averages.a, scales.a) : nil

        let (columns, rows) = (Waves(length: size.width).samples, Waves(length: size.height).samples)
        return Bitmap(size: size) { buffer in
            var offset = 0
            for wave in rows {
                let (l, p, q, a) = (l.row(wave), p.row(wave), q.row(wave), a?.row(wave))
                for wave in columns {
                    let color = LPQ(
                        l: Self.sum(l * wave), p: Self.sum(p * wave), q: Self.sum(q * wave),
                        a: a.map { Self.sum($0 * wave) } ?? 1)
                    let (red, green, blue, alpha) = color.rgba
                    let scale = 255 * alpha
                    // To the nearest: none is negative.
                    buffer[offset] = UInt8(red * scale + 0.5)
                    buffer[offset + 1] = UInt8(green * scale + 0.5)
                    buffer[offset + 2] = UInt8(blue * scale + 0.5)
                    buffer[offset + 3] = UInt8(scale + 0.5)
                    offset += 4
                }
            }
        }
    }

    /// In halves, as processors add vectors.
    private static func sum(_ values: SIMD8<Float>) -> Float {
        let four = values.lowHalf + values.highHalf
        let two = four.lowHalf + four.highHalf
        return two.x + two.y
    }

    /// The colour of the whole; not premultiplied.
    package var averageColor: (red: Float, green: Float, blue: Float, alpha: Float) { averages.rgba }

    /// The frequencies of a channel: a row for each vertical one.
    private struct Channel {
        private var rows: [SIMD8<Float>] = []

        init(_ hash: ThumbHash, _ nibble: inout Int, _ grid: Grid, _ average: Float, _ scale: Float) {
            for y in 0..<grid.height {
                var row = SIMD8<Float>.zero
                for x in 0..<grid.rowCount(y) {
                    if x == 0, y == 0 {
                        row[0] = average
                        continue
                    }
                    let bits = hash.byte(nibble / 2) >> (nibble % 2 * 4) & 15
                    // A cosine's coefficient is twice the average of its product with the picture.
                    row[x] = 2 * (Float(bits) / 7.5 - 1) * scale
                    nibble += 1
                }
                rows.append(row)
            }
        }

        /// What is left for the columns, at the height whose cosines these are.
        func row(_ wave: SIMD8<Float>) -> SIMD8<Float> {
            var sum = SIMD8<Float>.zero
            for (y, row) in rows.enumerated() { sum += row * wave[y] }
            return sum
        }
    }
}

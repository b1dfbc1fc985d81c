extension ThumbHash {
    /// Pixels of one cell that count, along each side.
    private static let samplesPerSide = 4

    /// The hash of a picture.
    ///
    /// A hash has 7 frequencies a side: 32 cells a side show those as well as all the pixels do. Each is an average of at
    /// most 4 x 4 pixels of its area, so that a large picture costs no more than a small one.
    ///
    /// - Parameter cellLimit: The most cells along the longer side, at least 1. The picture's own pixels are the cells if
    ///   it has no more.
    package init(_ bitmap: Bitmap, cellLimit: Int = 32) {
        let size = PixelTarget.fit(width: cellLimit, height: cellLimit).pixelSize(for: bitmap.size)
        self.init(Cells(bitmap, size))
    }

    /// A picture in cells, each of its channels in one array.
    private struct Cells {
        let size: PixelSize
        var l: [Float] = []
        var p: [Float] = []
        var q: [Float] = []
        var a: [Float] = []
        let isOpaque: Bool

        init(_ bitmap: Bitmap, _ size: PixelSize) {
            self.size = size
            let columns = Self.samples(bitmap.size.width, size.width)
            let rows = Self.samples(bitmap.size.height, size.height)
            let perCell = (x: columns.count / size.width, y: rows.count / size.height)
            let full = UInt32(255 * perCell.x * perCell.y)

            // Red, green, blue and alpha: sums of bytes, so that what is opaque is known to be.
            var sums = [SIMD4<UInt32>](repeating: .zero, count: size.pixelCount)
            bitmap.withUnsafeBytes { bytes in
                for (index, row) in rows.enumerated() {
                    let pixels = bytes.baseAddress! + row * bitmap.bytesPerRow
                    var cell = index / perCell.y * size.width
                    for first in stride(from: 0, to: columns.count, by: perCell.x) {
                        var sum = sums[cell]
                        for column in first..<first + perCell.x {
                            let pixel = pixels.load(fromByteOffset: columns[column] * 4, as: SIMD4<UInt8>.self)
                            sum &+= SIMD4<UInt32>(truncatingIfNeeded: pixel)
                        }
                        sums[cell] = sum
                        cell += 1
                    }
                }
            }
            isOpaque = sums.allSatisfy { $0.w == full }
            mix(sums, full: Float(full))
        }

        /// The pixels that count along one side, as many for each cell: in the middle of equal parts.
        private static func samples(_ sourceCount: Int, _ cellCount: Int) -> [Int] {
            let perCell = min((sourceCount + cellCount - 1) / cellCount, samplesPerSide)
            let count = cellCount * perCell
            return (0..<count).map { (2 * $0 + 1) * sourceCount / (2 * count) }
        }

        /// Lays the picture on its average colour, so that what is transparent adds no frequencies, and takes it apart.
        private mutating func mix(_ sums: [SIMD4<UInt32>], full: Float) {
            var total = SIMD4<Float>.zero
            for sum in sums { total += SIMD4<Float>(sum) }
            let average = total.w > 0 ? total / total.w : .zero
            l.reserveCapacity(sums.count)
            p.reserveCapacity(sums.count)
            q.reserveCapacity(sums.count)
            if !isOpaque { a.reserveCapacity(sums.count) }
            for sum in sums {
                // Premultiplied: what is on top of the average is there already.
                var color = SIMD4<Float>(sum) / full
                let alpha = color.w
                if !isOpaque {
                    color += average * (1 - alpha)
                    a.append(alpha)
                }
                l.append((color.x + color.y + color.z) / 3)
                p.append((color.x + color.y) / 2 - color.z)
                q.append(color.x - color.y)
            }
        }
    }

    private init(_ cells: Cells) {
        let size = cells.size
        let isLandscape = size.width > size.height
        var shape = Shape(hasAlpha: !cells.isOpaque, isLandscape: isLandscape, shortCount: 0)
        let (short, long) = (min(size.width, size.height), max(size.width, size.height))
        shape.shortCount = max(1, Int((Double(shape.longCount * short) / Double(long)).rounded()))

        let (columns, rows) = (Waves(length: size.width), Waves(length: size.height))
        let l = Channel(cells.l, shape.luminance, columns, rows)
        let p = Channel(cells.p, Shape.color, columns, rows)
        let q = Channel(cells.q, Shape.color, columns, rows)

        self.init()
        let first =
            Self.bits(63 * l.average) | Self.bits(31.5 + 31.5 * p.average) << 6
            | Self.bits(31.5 + 31.5 * q.average) << 12 | Self.bits(31 * l.scale) << 18 | (shape.hasAlpha ? 1 << 23 : 0)
        let second =
            UInt32(shape.shortCount) | Self.bits(63 * p.scale) << 3 | Self.bits(63 * q.scale) << 9
            | (isLandscape ? 1 << 15 : 0)
        for index in 0..<3 { setByte(index, UInt8(truncatingIfNeeded: first >> (8 * index))) }
        for index in 0..<2 { setByte(3 + index, UInt8(truncatingIfNeeded: second >> (8 * index))) }
        var nibble = 2 * shape.headerByteCount
        append(l, &nibble)
        append(p, &nibble)
        append(q, &nibble)
        if shape.hasAlpha {
            let a = Channel(cells.a, Shape.alpha, columns, rows)
            setByte(5, UInt8(Self.bits(15 * a.average) | Self.bits(15 * a.scale) << 4))
            append(a, &nibble)
        }
        byteCount = shape.byteCount
    }

    /// The nearest number. Halves go up: zero is one wherever a sign has no bit of its own, and a rounding error mustn't
    /// decide on it.
    private static func bits(_ value: Float) -> UInt32 { UInt32(max(0, (value + 1e-4).rounded())) }

    private mutating func append(_ channel: Channel, _ nibble: inout Int) {
        for value in channel.coefficients {
            // A flat channel has coefficients of rounding errors alone: those are no part of the picture.
            let bits = channel.scale > 1e-4 ? Self.bits(15 * (0.5 + 0.5 / channel.scale * value)) : 0
            setByte(nibble / 2, byte(nibble / 2) | UInt8(bits) << (nibble % 2 * 4))
            nibble += 1
        }
    }

    /// The frequencies of a channel.
    private struct Channel {
        var average: Float = 0
        /// In the order of the format.
        var coefficients: [Float] = []
        /// The largest of their absolute values.
        var scale: Float = 0

        /// The cosine transform: along the rows first, since that leaves a few values of each.
        init(_ values: [Float], _ grid: Grid, _ columns: Waves, _ rows: Waves) {
            var sums = [SIMD8<Float>](repeating: .zero, count: grid.height)
            var index = 0
            for wave in rows.samples {
                var row = SIMD8<Float>.zero
                for column in columns.samples {
                    row += column * values[index]
                    index += 1
                }
                for frequency in 0..<grid.height { sums[frequency] += row * wave[frequency] }
            }
            for y in 0..<grid.height {
                for x in 0..<grid.rowCount(y) {
                    let value = sums[y][x] / Float(values.count)
                    if x == 0, y == 0 {
                        average = value
                    } else {
                        coefficients.append(value)
                        scale = max(scale, abs(value))
                    }
                }
            }
        }
    }
}

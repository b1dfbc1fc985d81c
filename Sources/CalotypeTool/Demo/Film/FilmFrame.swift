import Calotype
import CalotypeTesting
import Foundation

/// A frame of the film strip: what each row in view showed, small enough to be kept while the feed goes on.
struct FilmFrame: Codable, Sendable {
    struct Row: Codable, Sendable {
        let number: Int
        /// The row's upper edge in points, from the top of the viewport.
        let top: Double
        /// The picture; `nil` where there was a placeholder or a failure.
        let picture: FilmPicture?
        /// Whether the row had shown its picture before.
        let hadPicture: Bool
        /// Whether there was to be no picture.
        let hasFailed: Bool
    }

    /// The frame's number in the script.
    let number: Int
    let rows: [Row]

    /// - Parameters:
    ///   - contents: Of each row in view.
    ///   - rowsShown: Those that have shown their picture so far.
    ///   - pictureSide: The side of a row's picture in pixels.
    init(
        number: Int, layout: FeedLayout, offset: Double, contents: [Int: FeedContent], rowsShown: Set<Int>,
        pictureSide: Int = FilmStrip.pictureSide
    ) {
        self.number = number
        rows = contents.keys.sorted().map { row in
            Row(
                number: row, top: layout.top(of: row, at: offset),
                picture: contents[row]?.picture.map { FilmPicture($0.bitmap, side: pictureSide) },
                hadPicture: rowsShown.contains(row), hasFailed: contents[row]?.hasFailed ?? false)
        }
    }
}

/// A square picture of few pixels. Each is the mean of a few points alone: it is taken between two frames.
struct FilmPicture: Codable, Sendable {
    let side: Int
    /// Red, green and blue, row after row from the top.
    private let bytes: Data

    /// The middle of an opaque bitmap. A smaller one, as impressions are, is enlarged smoothly.
    init(_ bitmap: Bitmap, side: Int) {
        let source = min(bitmap.size.width, bitmap.size.height)
        let left = (bitmap.size.width - source) / 2
        let top = (bitmap.size.height - source) / 2
        var bytes = Data(capacity: side * side * 3)
        bitmap.withUnsafeBytes { pixels in
            func color(_ x: Int, _ y: Int) -> SIMD3<Int> {
                let offset = (top + y) * bitmap.bytesPerRow + (left + x) * 4
                return SIMD3(Int(pixels[offset]), Int(pixels[offset + 1]), Int(pixels[offset + 2]))
            }
            for y in 0..<side {
                for x in 0..<side {
                    let color =
                        source < side
                        ? Self.between(x, y, side, source, color) : Self.mean(x, y, side, source, color)
                    for channel in 0..<3 { bytes.append(UInt8(color[channel])) }
                }
            }
        }
        self.side = side
        self.bytes = bytes
    }

    /// Of 16 points that lie in a pixel.
    private static func mean(
        _ x: Int, _ y: Int, _ side: Int, _ source: Int, _ color: (Int, Int) -> SIMD3<Int>
    ) -> SIMD3<Int> {
        let points = 4
        var sum = SIMD3<Int>.zero
        for point in 0..<points * points {
            sum &+= color(
                (x * points + point % points) * source / (side * points),
                (y * points + point / points) * source / (side * points))
        }
        return sum / (points * points)
    }

    /// Of the four pixels around the middle of a larger one, the nearer the more.
    private static func between(
        _ x: Int, _ y: Int, _ side: Int, _ source: Int, _ color: (Int, Int) -> SIMD3<Int>
    ) -> SIMD3<Int> {
        // In 2 * side parts of a pixel, from the middle of the first.
        let scale = 2 * side
        func place(_ position: Int) -> (first: Int, second: Int, part: Int) {
            let middle = min(max((2 * position + 1) * source - side, 0), (source - 1) * scale)
            return (middle / scale, min(middle / scale + 1, source - 1), middle % scale)
        }
        let (column, row) = (place(x), place(y))
        let upper =
            color(column.first, row.first) &* (scale - column.part) &+ color(column.second, row.first) &* column.part
        let lower =
            color(column.first, row.second) &* (scale - column.part) &+ color(column.second, row.second) &* column.part
        return (upper &* (scale - row.part) &+ lower &* row.part) / (scale * scale)
    }

    /// The color of a pixel.
    subscript(x: Int, y: Int) -> PixelColor {
        let offset = (y * side + x) * 3
        return PixelColor(bytes[offset], bytes[offset + 1], bytes[offset + 2])
    }
}

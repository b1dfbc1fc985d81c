import Calotype
import CalotypeTesting
import Foundation

/// A frame of the film strip: what each row in view showed, small enough to be kept while the feed goes on.
struct FilmFrame: Codable, Sendable {
    struct Row: Codable, Sendable {
        let number: Int
        /// The row's upper edge in points, from the top of the viewport.
        let top: Double
        /// The picture; `nil` where there was a placeholder.
        let picture: FilmPicture?
        /// Whether the row had shown its picture before.
        let hadPicture: Bool
    }

    /// The frame's number in the script.
    let number: Int
    let rows: [Row]

    /// - Parameters:
    ///   - contents: Of each row in view.
    ///   - rowsShown: Those that have shown their picture so far.
    init(number: Int, layout: FeedLayout, offset: Double, contents: [Int: FeedContent], rowsShown: Set<Int>) {
        self.number = number
        rows = contents.keys.sorted().map { row in
            Row(
                number: row, top: layout.top(of: row, at: offset),
                picture: contents[row]?.picture.map { FilmPicture($0.bitmap) }, hadPicture: rowsShown.contains(row))
        }
    }
}

/// A square picture of few pixels. Each is the mean of a few points alone: it is taken between two frames.
struct FilmPicture: Codable, Sendable {
    static let side = 40
    /// Red, green and blue, row after row from the top.
    private let bytes: Data

    /// The middle of an opaque bitmap.
    init(_ bitmap: Bitmap) {
        let points = 4
        let source = min(bitmap.size.width, bitmap.size.height)
        let left = (bitmap.size.width - source) / 2
        let top = (bitmap.size.height - source) / 2
        var bytes = Data(capacity: Self.side * Self.side * 3)
        bitmap.withUnsafeBytes { pixels in
            for y in 0..<Self.side {
                for x in 0..<Self.side {
                    var sum = (0, 0, 0)
                    for point in 0..<points * points {
                        let column = left + (x * points + point % points) * source / (Self.side * points)
                        let row = top + (y * points + point / points) * source / (Self.side * points)
                        let offset = row * bitmap.bytesPerRow + column * 4
                        sum.0 += Int(pixels[offset])
                        sum.1 += Int(pixels[offset + 1])
                        sum.2 += Int(pixels[offset + 2])
                    }
                    for channel in [sum.0, sum.1, sum.2] { bytes.append(UInt8(channel / (points * points))) }
                }
            }
        }
        self.bytes = bytes
    }

    /// The color of a pixel.
    subscript(x: Int, y: Int) -> PixelColor {
        let offset = (y * Self.side + x) * 3
        return PixelColor(bytes[offset], bytes[offset + 1], bytes[offset + 2])
    }
}

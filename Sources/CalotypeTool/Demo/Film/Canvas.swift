import Calotype
import CalotypeTesting

/// An opaque surface to draw on. Lengths are in pixels, from the top left; edges are smooth.
struct Canvas {
    struct Rectangle {
        var x: Double
        var y: Double
        var width: Double
        var height: Double
        var radius = 0.0

        /// Whether all of a pixel lies inside: a quick look, that leaves out the corners.
        func surelyContains(_ x: Double, _ y: Double) -> Bool {
            let (left, top) = (x - self.x, y - self.y)
            guard left >= 0, top >= 0, left + 1 <= width, top + 1 <= height else { return false }
            return (left >= radius && left + 1 <= width - radius) || (top >= radius && top + 1 <= height - radius)
        }

        /// Whether a point lies inside, round corners considered.
        func contains(_ x: Double, _ y: Double) -> Bool {
            let (left, top) = (x - self.x, y - self.y)
            guard left >= 0, top >= 0, left < width, top < height else { return false }
            let beyondX = max(radius - left, left - (width - radius), 0)
            let beyondY = max(radius - top, top - (height - radius), 0)
            return beyondX * beyondX + beyondY * beyondY <= radius * radius
        }
    }

    private let size: PixelSize
    private var pixels: [PixelColor]

    /// A surface of one color.
    init(_ size: PixelSize, color: PixelColor) {
        self.size = size
        pixels = Array(repeating: color, count: size.width * size.height)
    }

    /// Fills a rectangle.
    ///
    /// - Parameters:
    ///   - clip: Nothing is drawn outside of it.
    ///   - color: Of the pixel at a column and a row of the rectangle.
    mutating func fill(_ rectangle: Rectangle, within clip: Rectangle? = nil, _ color: (Int, Int) -> PixelColor) {
        let columns = Self.span(rectangle.x, rectangle.width, limit: size.width)
        for y in Self.span(rectangle.y, rectangle.height, limit: size.height) {
            for x in columns {
                let covered = Self.coverage(x, y, rectangle, clip)
                guard covered > 0 else { continue }
                let column = max(0, Int((Double(x) - rectangle.x).rounded()))
                let row = max(0, Int((Double(y) - rectangle.y).rounded()))
                let index = y * size.width + x
                let color = color(column, row)
                pixels[index] =
                    covered == Self.points.count ? color : Self.mix(color, over: pixels[index], covered)
            }
        }
    }

    mutating func fill(_ rectangle: Rectangle, within clip: Rectangle? = nil, color: PixelColor) {
        fill(rectangle, within: clip) { _, _ in color }
    }

    /// Writes a line of ``PixelFont``'s letters.
    ///
    /// - Parameter scale: Pixels for each of a letter's.
    mutating func write(_ text: String, x: Int, y: Int, scale: Int, color: PixelColor) {
        for (dx, dy) in PixelFont.dots(of: text) {
            let dot = Rectangle(
                x: Double(x + dx * scale), y: Double(y + dy * scale), width: Double(scale), height: Double(scale))
            fill(dot, color: color)
        }
    }

    var bitmap: Bitmap {
        Bitmap(size: size) { buffer in
            for (index, pixel) in pixels.enumerated() {
                (buffer[index * 4], buffer[index * 4 + 1]) = (pixel.red, pixel.green)
                (buffer[index * 4 + 2], buffer[index * 4 + 3]) = (pixel.blue, 255)
            }
        }
    }

    /// The points of a pixel that say how much of it is covered.
    private static let points: [(x: Double, y: Double)] = (0..<16).map { number in
        let (column, row) = (number % 4, number / 4)
        return (x: Double(column) / 4 + 0.125, y: Double(row) / 4 + 0.125)
    }

    /// How many of a pixel's points are drawn on.
    private static func coverage(_ x: Int, _ y: Int, _ rectangle: Rectangle, _ clip: Rectangle?) -> Int {
        let (x, y) = (Double(x), Double(y))
        if rectangle.surelyContains(x, y), clip?.surelyContains(x, y) != false { return points.count }
        return points.count { point in
            rectangle.contains(x + point.x, y + point.y) && clip?.contains(x + point.x, y + point.y) != false
        }
    }

    private static func span(_ start: Double, _ length: Double, limit: Int) -> Range<Int> {
        let first = min(max(Int(start.rounded(.down)), 0), limit)
        return first..<min(max(Int((start + length).rounded(.up)), first), limit)
    }

    private static func mix(_ color: PixelColor, over below: PixelColor, _ covered: Int) -> PixelColor {
        func mixed(_ upper: UInt8, _ lower: UInt8) -> UInt8 {
            UInt8((Int(upper) * covered + Int(lower) * (points.count - covered)) / points.count)
        }
        return PixelColor(
            mixed(color.red, below.red), mixed(color.green, below.green), mixed(color.blue, below.blue))
    }
}

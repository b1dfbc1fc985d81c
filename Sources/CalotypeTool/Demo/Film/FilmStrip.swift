import Calotype
import CalotypeTesting

/// The same moments of several feeds, one lane below the other.
struct FilmStrip {
    struct Lane {
        /// In letters whose capitals ``PixelFont`` has.
        let title: String
        let frames: [FilmFrame]
    }

    /// Pixels for each point of a feed.
    static let scale = 0.5
    private static let margin = 32
    private static let gap = 16
    private static let letter = 3
    /// From a title's upper edge to its lane.
    private static let titleHeight = 40
    private static let timeHeight = 34

    /// The side of a row's picture in a strip, in pixels.
    static let pictureSide = 40

    private static let paper = PixelColor(243, 238, 227)
    private static let ink = PixelColor(74, 63, 53)

    let layout: FeedLayout
    let lanes: [Lane]

    /// The strip, opaque.
    var bitmap: Bitmap {
        let drawing = PhoneDrawing(layout: layout, scale: Self.scale)
        let phone = drawing.size
        let step = Int(phone.width) + Self.gap
        let laneHeight = Self.titleHeight + Int(phone.height) + Self.margin
        let count = lanes.map(\.frames.count).max() ?? 0
        let size = PixelSize(
            width: 2 * Self.margin + max(count, 1) * step - Self.gap,
            height: Self.margin + lanes.count * laneHeight + Self.timeHeight)
        var canvas = Canvas(size, color: Self.paper)
        for (index, lane) in lanes.enumerated() {
            let top = Self.margin + index * laneHeight
            canvas.write(lane.title.uppercased(), x: Self.margin, y: top, scale: Self.letter, color: Self.ink)
            for (position, frame) in lane.frames.enumerated() {
                let rectangle = Canvas.Rectangle(
                    x: Double(Self.margin + position * step), y: Double(top + Self.titleHeight), width: phone.width,
                    height: phone.height, radius: 12)
                var rim = rectangle
                (rim.x, rim.y, rim.width, rim.height) = (rim.x - 2, rim.y - 2, rim.width + 4, rim.height + 4)
                rim.radius += 2
                canvas.fill(rim, color: Self.ink)
                drawing.draw(frame, in: rectangle, on: &canvas)
            }
        }
        for (position, frame) in (lanes.first?.frames ?? []).enumerated() {
            let text = Self.time(of: frame).uppercased()
            let x = Self.margin + position * step + (Int(phone.width) - PixelFont.width(of: text) * 2) / 2
            canvas.write(
                text, x: x, y: size.height - Self.timeHeight - Self.margin / 2, scale: 2, color: Self.ink)
        }
        return canvas.bitmap
    }

    /// "1.25 s", with two digits whatever they are.
    static func time(of frame: FilmFrame) -> String {
        let hundredths = frame.number * 100 / FeedScript.framesPerSecond
        return "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10) s"
    }
}

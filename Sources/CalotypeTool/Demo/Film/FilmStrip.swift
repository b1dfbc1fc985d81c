import Calotype
import CalotypeTesting

/// The same moments of several feeds, one lane below the other.
struct FilmStrip {
    struct Lane {
        /// In the letters of ``PixelFont``.
        let title: String
        let frames: [FilmFrame]
    }

    /// Pixels for each point of a feed.
    private static let scale = 0.5
    private static let margin = 32
    private static let gap = 16
    private static let letter = 3
    /// From a title's upper edge to its lane.
    private static let titleHeight = 40
    private static let timeHeight = 34

    private static let paper = PixelColor(243, 238, 227)
    private static let ink = PixelColor(74, 63, 53)
    private static let screen = PixelColor(255, 254, 251)
    private static let line = PixelColor(232, 226, 214)
    private static let placeholder = PixelColor(178, 173, 164)
    /// A placeholder where the picture had been before: no photo has this pink.
    static let lost = PixelColor(222, 38, 124)

    let layout: FeedLayout
    let lanes: [Lane]

    /// The strip, opaque.
    var bitmap: Bitmap {
        let phone = (width: layout.viewportWidth * Self.scale, height: layout.viewportHeight * Self.scale)
        let step = Int(phone.width) + Self.gap
        let laneHeight = Self.titleHeight + Int(phone.height) + Self.margin
        let count = lanes.map(\.frames.count).max() ?? 0
        let size = PixelSize(
            width: 2 * Self.margin + max(count, 1) * step - Self.gap,
            height: Self.margin + lanes.count * laneHeight + Self.timeHeight)
        var canvas = Canvas(size, color: Self.paper)
        for (index, lane) in lanes.enumerated() {
            let top = Self.margin + index * laneHeight
            canvas.write(lane.title, x: Self.margin, y: top, scale: Self.letter, color: Self.ink)
            for (position, frame) in lane.frames.enumerated() {
                let rectangle = Canvas.Rectangle(
                    x: Double(Self.margin + position * step), y: Double(top + Self.titleHeight), width: phone.width,
                    height: phone.height, radius: 12)
                draw(frame, in: rectangle, on: &canvas)
            }
        }
        for (position, frame) in (lanes.first?.frames ?? []).enumerated() {
            let text = Self.time(of: frame)
            let x = Self.margin + position * step + (Int(phone.width) - PixelFont.width(of: text) * 2) / 2
            canvas.write(
                text, x: x, y: size.height - Self.timeHeight - Self.margin / 2, scale: 2, color: Self.ink)
        }
        return canvas.bitmap
    }

    private func draw(_ frame: FilmFrame, in phone: Canvas.Rectangle, on canvas: inout Canvas) {
        var rim = phone
        (rim.x, rim.y, rim.width, rim.height) = (phone.x - 2, phone.y - 2, phone.width + 4, phone.height + 4)
        rim.radius += 2
        canvas.fill(rim, color: Self.ink)
        canvas.fill(phone, color: Self.screen)
        let side = Double(FilmPicture.side)
        let inset = (layout.rowHeight * Self.scale - side) / 2
        for row in frame.rows {
            // On whole pixels, as a display has it.
            let top = phone.y + (row.top * Self.scale).rounded() + inset
            let square = Canvas.Rectangle(x: phone.x + 8, y: top, width: side, height: side, radius: 5)
            canvas.fill(square, within: phone) { x, y in
                row.picture?[min(x, FilmPicture.side - 1), min(y, FilmPicture.side - 1)]
                    ?? (row.hadPicture ? Self.lost : Self.placeholder)
            }
            for (index, width) in Self.textWidths(row.number).enumerated() {
                let text = Canvas.Rectangle(
                    x: phone.x + 58, y: top + 9 + Double(index) * 14, width: width, height: 7, radius: 3)
                canvas.fill(text, within: phone, color: Self.line)
            }
        }
    }

    /// What stands for two lines of text: as long as lines are, and always the same for a row.
    private static func textWidths(_ row: Int) -> [Double] {
        [Double(74 + row * 37 % 48), Double(48 + row * 53 % 60)]
    }

    /// "1.25 S", with two digits whatever they are.
    private static func time(of frame: FilmFrame) -> String {
        let hundredths = frame.number * 100 / FeedScript.framesPerSecond
        return "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10) S"
    }
}

import Calotype
import CalotypeTesting

/// Draws what a feed's viewport showed: a picture and two lines of text to each row.
struct PhoneDrawing {
    private static let screen = PixelColor(255, 254, 251)
    private static let line = PixelColor(232, 226, 214)
    private static let placeholder = PixelColor(178, 173, 164)
    private static let failure = PixelColor(150, 62, 44)
    /// A placeholder where the picture had been before: no photo has this pink.
    static let lost = PixelColor(222, 38, 124)

    let layout: FeedLayout
    /// Pixels for each point of the feed.
    let scale: Double

    /// Of the viewport, in pixels.
    var size: (width: Double, height: Double) { (layout.viewportWidth * scale, layout.viewportHeight * scale) }

    /// The viewport alone, opaque.
    func bitmap(of frame: FilmFrame) -> Bitmap {
        let phone = Canvas.Rectangle(x: 0, y: 0, width: size.width.rounded(), height: size.height.rounded())
        var canvas = Canvas(PixelSize(width: Int(phone.width), height: Int(phone.height)), color: Self.screen)
        draw(frame, in: phone, on: &canvas)
        return canvas.bitmap
    }

    /// Draws the viewport. Pictures are drawn as large as they are.
    func draw(_ frame: FilmFrame, in phone: Canvas.Rectangle, on canvas: inout Canvas) {
        canvas.fill(phone, color: Self.screen)
        for row in frame.rows {
            let side = row.picture.map { Double($0.side) } ?? 80 * scale
            // On whole pixels, as a display has it.
            let top = phone.y + (row.top * scale).rounded() + ((layout.rowHeight * scale - side) / 2).rounded()
            let square = Canvas.Rectangle(
                x: phone.x + 16 * scale, y: top, width: side, height: side, radius: 10 * scale)
            if let picture = row.picture {
                canvas.fill(square, within: phone) { picture[min($0, picture.side - 1), min($1, picture.side - 1)] }
            } else {
                canvas.fill(square, within: phone, color: row.hadPicture ? Self.lost : Self.placeholder)
            }
            if row.hasFailed {
                let dot = Int(8 * scale)
                canvas.write(
                    "!", x: Int(square.x + side / 2) - PixelFont.width(of: "!") * dot / 2,
                    y: Int(square.y + side / 2) - PixelFont.height * dot / 2, scale: dot, color: Self.failure)
            }
            for (index, width) in Self.textWidths(row.number).enumerated() {
                let text = Canvas.Rectangle(
                    x: phone.x + 116 * scale, y: top + (18 + Double(index) * 28) * scale, width: width * scale,
                    height: 14 * scale, radius: 6 * scale)
                canvas.fill(text, within: phone, color: Self.line)
            }
        }
    }

    /// What stands for two lines of text, in points: as long as lines are, and always the same for a row.
    private static func textWidths(_ row: Int) -> [Double] {
        [Double(148 + row * 74 % 96), Double(96 + row * 106 % 120)]
    }
}

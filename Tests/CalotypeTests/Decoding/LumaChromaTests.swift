import Foundation
import Testing

@testable import Calotype

@Suite("Rows of luma and chroma")
struct LumaChromaTests {
    /// What a codec keeps at 4:2:0.
    private struct Planes {
        let size: PixelSize
        let luma: [UInt8]
        let blue: [UInt8]
        let red: [UInt8]
        /// The size of the chroma.
        var joined: PixelSize { PixelSize(width: size.width / 2, height: size.height / 2) }

        init(_ size: PixelSize, _ sample: (_ plane: Int, _ x: Int, _ y: Int) -> UInt8) {
            self.size = size
            luma = (0..<size.pixelCount).map { sample(0, $0 % size.width, $0 / size.width) }
            let joined = PixelSize(width: size.width / 2, height: size.height / 2)
            blue = (0..<joined.pixelCount).map { sample(1, $0 % joined.width, $0 / joined.width) }
            red = (0..<joined.pixelCount).map { sample(2, $0 % joined.width, $0 / joined.width) }
        }

        func resized(to target: PixelSize) -> Bitmap {
            Bitmap(size: target) { buffer in
                let resizer = RowResizer(
                    source: joined, channelCount: 3, matrix: .video, isOpaque: true,
                    placement: RowPlacement(buffer, storedSize: target, orientation: .up))
                luma.withUnsafeBufferPointer { luma in
                    blue.withUnsafeBufferPointer { blue in
                        red.withUnsafeBufferPointer { red in
                            for y in 0..<joined.height {
                                let upper = luma.baseAddress! + y * 2 * size.width
                                resizer.append(
                                    LumaChromaRows(
                                        upper: upper, lower: upper + size.width,
                                        blue: blue.baseAddress! + y * joined.width,
                                        red: red.baseAddress! + y * joined.width))
                            }
                        }
                    }
                }
            }
        }
    }

    struct Color: Sendable, CustomTestStringConvertible {
        var title: String
        var samples: [UInt8]
        var expected: [Int]
        var testDescription: String { title }
    }

    @Test(
        "the colours of BT.601's bars are right, within 1",
        arguments: [
            Color(title: "white", samples: [235, 128, 128], expected: [255, 255, 255]),
            Color(title: "black", samples: [16, 128, 128], expected: [0, 0, 0]),
            Color(title: "red", samples: [81, 90, 240], expected: [255, 0, 0]),
            Color(title: "green", samples: [145, 54, 34], expected: [0, 255, 0]),
            Color(title: "blue", samples: [41, 240, 110], expected: [0, 0, 255]),
            Color(title: "brighter than white", samples: [255, 128, 128], expected: [255, 255, 255]),
        ])
    func bars(_ color: Color) {
        let planes = Planes(PixelSize(width: 8, height: 8)) { plane, _, _ in color.samples[plane] }
        let pixel = planes.resized(to: PixelSize(width: 3, height: 3))[1, 1]
        for (value, expected) in zip([pixel.red, pixel.green, pixel.blue], color.expected) {
            #expect(abs(Int(value) - expected) <= 1)
        }
        #expect(pixel.alpha == 255)
    }

    @Test(
        "averages of luma and their chroma are resized like the colours that they make",
        arguments: [PixelSize(width: 31, height: 22), PixelSize(width: 48, height: 36), PixelSize(width: 9, height: 7)])
    func resize(_ target: PixelSize) {
        // Within what stays in range, so that nothing is cut off before or after the resize.
        let planes = Planes(PixelSize(width: 96, height: 72)) { plane, x, y in
            let wave = sin(Double(x) / 3 + Double(plane)) * cos(Double(y) / 4)
            return UInt8(128 + (plane == 0 ? 60 : 25) * wave)
        }
        let matrix = LumaChromaMatrix.video
        let joined = planes.joined
        let colors = Bitmap(size: joined) { buffer in
            for index in 0..<joined.pixelCount {
                let (x, y) = (index % joined.width * 2, index / joined.width * 2)
                let rows = [y, y + 1].flatMap { row in [x, x + 1].map { planes.luma[row * planes.size.width + $0] } }
                let luma = (rows.reduce(0) { $0 + Float($1) } / 4 - matrix.black) * matrix.scale
                let (blue, red) = (Float(planes.blue[index]) - 128, Float(planes.red[index]) - 128)
                let channels = [
                    luma + red * matrix.redOfRed, luma + blue * matrix.greenOfBlue + red * matrix.greenOfRed,
                    luma + blue * matrix.blueOfBlue, 255,
                ]
                for (channel, value) in channels.enumerated() { buffer[index * 4 + channel] = UInt8(value.rounded()) }
            }
        }
        // The colours are rounded before they are resized, which is half a level.
        let quality = ResizeTests.quality(
            planes.resized(to: target), ResizeTests.reference(colors, target))
        #expect(quality >= 54, "\(quality) dB")
    }
}

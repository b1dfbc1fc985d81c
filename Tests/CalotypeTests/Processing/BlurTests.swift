import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Blur")
struct BlurTests {
    private static func run(_ radius: Double, _ bitmap: Bitmap) throws -> Bitmap {
        try BlurProcessor(radius: radius).process(DecodedImage(bitmap: bitmap), cancellation: DecodeCancellation())
            .bitmap
    }

    /// A Gaussian by the book: double precision, beyond five standard deviations nothing, edges continued.
    private static func reference(_ source: Bitmap, _ radius: Double) -> [Double] {
        let reach = Int((radius * 5).rounded(.up))
        let raw = (-reach...reach).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let sum = raw.reduce(0, +)
        let weights = raw.map { $0 / sum }
        let (width, height) = (source.size.width, source.size.height)
        var middle = [Double](repeating: 0, count: source.byteCount)
        var result = middle
        source.withUnsafeBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    for offset in -reach...reach {
                        let column = min(max(x + offset, 0), width - 1)
                        for channel in 0..<4 {
                            middle[(y * width + x) * 4 + channel] +=
                                weights[offset + reach] * Double(bytes[(y * width + column) * 4 + channel])
                        }
                    }
                }
            }
        }
        for y in 0..<height {
            for offset in -reach...reach {
                let row = min(max(y + offset, 0), height - 1)
                for x in 0..<width * 4 {
                    result[y * width * 4 + x] += weights[offset + reach] * middle[row * width * 4 + x]
                }
            }
        }
        return result
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var radius: Double
        var size = PixelSize(width: 90, height: 70)
        var isOpaque = true
        /// In decibels.
        var least: Double

        var testDescription: String { "radius \(radius), \(size), \(isOpaque ? "opaque" : "with alpha")" }

        static let all = [
            Case(radius: 0.3, least: 45), Case(radius: 0.5, least: 45), Case(radius: 1, least: 45),
            Case(radius: 2, least: 45), Case(radius: 2, isOpaque: false, least: 45), Case(radius: 3.7, least: 45),
            Case(radius: 8, least: 45), Case(radius: 8, isOpaque: false, least: 45), Case(radius: 20, least: 45),
            Case(radius: 45, least: 45),
            Case(radius: 2, size: PixelSize(width: 50, height: 1), least: 45),
            Case(radius: 2, size: PixelSize(width: 1, height: 50), least: 45),
            Case(radius: 3, size: PixelSize(width: 17, height: 33), isOpaque: false, least: 45),
        ]
    }

    @Test("the result is close to a Gaussian of that standard deviation", arguments: Case.all)
    func quality(_ row: Case) throws {
        let source = ResizeTests.picture(row.size, isOpaque: row.isOpaque)
        let quality = try ResizeTests.quality(Self.run(row.radius, source), Self.reference(source, row.radius))
        #expect(quality >= row.least, "\(quality) dB")
    }

    @Test("a single point becomes round: its spread is the radius in both directions", arguments: [0.8, 2, 5.5])
    func point(_ radius: Double) throws {
        let source = TestImages.bitmap(width: 61, height: 61) { x, y in
            // A square, as a point alone would round to nothing.
            abs(x - 30) <= 4 && abs(y - 30) <= 4 ? .white : .black
        }
        let bitmap = try Self.run(radius, source)
        var (mass, acrossSquares, downSquares) = (0.0, 0.0, 0.0)
        for y in 0..<61 {
            for x in 0..<61 {
                let value = Double(bitmap[x, y].red)
                mass += value
                acrossSquares += value * Double((x - 30) * (x - 30))
                downSquares += value * Double((y - 30) * (y - 30))
                #expect(bitmap[x, y] == bitmap[60 - x, y] && bitmap[x, y] == bitmap[y, x])
            }
        }
        // The square's own variance is (9^2 - 1) / 12.
        for variance in [acrossSquares / mass, downSquares / mass] {
            #expect(abs(variance - 80.0 / 12 - radius * radius) / (radius * radius) < 0.05, "\(variance)")
        }
    }

    @Test("a plain colour stays that colour, up to the edges", arguments: [0.4, 1, 7, 300])
    func plain(_ radius: Double) throws {
        for color in [PixelColor(200, 100, 50), PixelColor(255, 255, 255), PixelColor(90, 45, 3, 90), .clear] {
            let source = TestImages.solidBitmap(width: 43, height: 21, color: color)
            let comparison = try PixelComparison(Self.run(radius, source), source)
            #expect(comparison.isWithin(.exact), "\(comparison)")
        }
    }

    @Test("an opaque image stays opaque, and no colour is ever above its alpha", arguments: [0.5, 3, 40])
    func alpha(_ radius: Double) throws {
        let opaque = try Self.run(radius, ResizeTests.picture(PixelSize(width: 70, height: 50)))
        opaque.withUnsafeBytes { bytes in
            #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 })
        }
        let soft = try Self.run(radius, ResizeTests.picture(PixelSize(width: 70, height: 50), isOpaque: false))
        soft.withUnsafeBytes { bytes in
            let isValid = stride(from: 0, to: bytes.count, by: 4).allSatisfy { index in
                (0..<3).allSatisfy { bytes[index + $0] <= bytes[index + 3] }
            }
            #expect(isValid)
        }
    }

    @Test("colours of transparent pixels have no weight")
    func premultiplied() throws {
        let source = TestImages.bitmap(width: 40, height: 4) { x, _ in x < 20 ? .clear : PixelColor(0, 200, 0) }
        let bitmap = try Self.run(3, source)
        for x in 0..<40 where bitmap[x, 1].alpha > 20 {
            let color = bitmap.pixel(x, 1).unpremultiplied
            #expect(color.red == 0 && color.blue == 0 && abs(Int(color.green) - 200) <= 6, "column \(x)")
        }
    }

    @Test("a radius of 0 gives the image itself; one too small to matter, the same pixels")
    func none() throws {
        let image = DecodedImage(bitmap: ResizeTests.picture(PixelSize(width: 20, height: 10)))
        #expect(try BlurProcessor(radius: 0).process(image, cancellation: DecodeCancellation()) === image)
        for radius in [Double.leastNonzeroMagnitude, 1e-9] {
            #expect(try PixelComparison(Self.run(radius, image.bitmap), image.bitmap).isWithin(.exact))
        }
    }

    @Test("a radius beyond half of the longer side counts as that, even an infinite one")
    func huge() throws {
        let source = ResizeTests.picture(PixelSize(width: 30, height: 12))
        let most = try Self.run(15, source)
        for radius in [15.1, 1e9, .greatestFiniteMagnitude, .infinity] {
            #expect(try PixelComparison(Self.run(radius, source), most).isWithin(.exact), "\(radius)")
        }
    }

    #if !canImport(Darwin)
    @Test("a radius that is negative, or no number, is a mistake of the caller")
    func negative() async {
        await #expect(processExitsWith: .failure) { _ = BlurProcessor(radius: -1) }
        await #expect(processExitsWith: .failure) { _ = BlurProcessor(radius: .nan) }
    }
    #endif
}

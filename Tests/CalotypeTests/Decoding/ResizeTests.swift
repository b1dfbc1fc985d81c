import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Resize")
struct ResizeTests {
    /// A picture with edges, gradients and noise, opaque or not.
    static func picture(_ size: PixelSize, isOpaque: Bool = true) -> Bitmap {
        var generator = SeededGenerator(seed: UInt64(size.width * 7919 + size.height))
        return Bitmap(size: size) { buffer in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let alpha = isOpaque ? 255 : min(255, (x * 5 + y * 3) % 320)
                    let wave = 127 + 100 * sin(Double(x) / 9) * cos(Double(y) / 7)
                    let edge = (x / 23 + y / 17) % 2 == 0 ? 60.0 : 0
                    for channel in 0..<3 {
                        let noise = Double(Int.random(in: -6...6, using: &generator))
                        let value = min(max(wave + edge * Double(channel) / 2 + noise, 0), 255)
                        buffer[(y * size.width + x) * 4 + channel] = UInt8(value * Double(alpha) / 255)
                    }
                    buffer[(y * size.width + x) * 4 + 3] = UInt8(alpha)
                }
            }
        }
    }

    /// Lanczos with three lobes by the book: double precision, the whole image, no shortcuts.
    static func reference(_ source: Bitmap, _ target: PixelSize) -> [Double] {
        func axis(_ sourceCount: Int, _ targetCount: Int) -> [[(index: Int, weight: Double)]] {
            let ratio = Double(sourceCount) / Double(targetCount)
            let stretch = max(ratio, 1)
            return (0..<targetCount).map { target in
                let center = (Double(target) + 0.5) * ratio
                let window = (0..<sourceCount).compactMap { index -> (index: Int, weight: Double)? in
                    let x = (Double(index) + 0.5 - center) / stretch
                    guard abs(x) < 3 else { return nil }
                    if x == 0 { return (index, 1) }
                    return (index, 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x))
                }
                let sum = window.reduce(0) { $0 + $1.weight }
                return window.map { ($0.index, $0.weight / sum) }
            }
        }
        let columns = axis(source.size.width, target.width)
        let rows = axis(source.size.height, target.height)
        var middle = [Double](repeating: 0, count: target.width * source.size.height * 4)
        source.withUnsafeBytes { bytes in
            for y in 0..<source.size.height {
                for x in 0..<target.width {
                    for (index, weight) in columns[x] {
                        let pixel = (y * source.size.width + index) * 4
                        for channel in 0..<4 {
                            middle[(y * target.width + x) * 4 + channel] += Double(bytes[pixel + channel]) * weight
                        }
                    }
                }
            }
        }
        var result = [Double](repeating: 0, count: target.width * target.height * 4)
        for y in 0..<target.height {
            for (index, weight) in rows[y] {
                for x in 0..<target.width * 4 {
                    result[y * target.width * 4 + x] += middle[index * target.width * 4 + x] * weight
                }
            }
        }
        return result.map { min(max($0, 0), 255) }
    }

    /// The peak signal-to-noise ratio in dB; infinite for equal images.
    static func quality(_ bitmap: Bitmap, _ reference: [Double]) -> Double {
        let sum = bitmap.withUnsafeBytes { bytes in
            zip(bytes, reference).reduce(0.0) { $0 + (Double($1.0) - $1.1) * (Double($1.0) - $1.1) }
        }
        return 10 * log10(255 * 255 / (sum / Double(reference.count)))
    }

    @Test(
        "without a pre-shrink, every pixel is the reference's, rounded",
        arguments: [
            (PixelSize(width: 90, height: 61), PixelSize(width: 61, height: 33)),
            (PixelSize(width: 64, height: 48), PixelSize(width: 33, height: 48)),
            (PixelSize(width: 40, height: 40), PixelSize(width: 40, height: 11)),
            (PixelSize(width: 20, height: 10), PixelSize(width: 47, height: 31)),
            (PixelSize(width: 3, height: 3), PixelSize(width: 2, height: 1)),
        ])
    func exact(_ size: PixelSize, _ target: PixelSize) {
        let source = Self.picture(size)
        let result = source.resized(to: target)
        #expect(result.size == target)
        let reference = Self.reference(source, target)
        result.withUnsafeBytes { bytes in
            let largest = zip(bytes, reference).map { abs(Double($0) - $1) }.max() ?? 0
            #expect(largest <= 0.51, "the largest difference of a channel is \(largest)")
        }
    }

    @Test(
        "with a pre-shrink, the quality is at least 45 dB",
        arguments: [
            (PixelSize(width: 401, height: 303), PixelSize(width: 53, height: 40)),
            (PixelSize(width: 640, height: 200), PixelSize(width: 31, height: 97)),
            (PixelSize(width: 500, height: 500), PixelSize(width: 7, height: 7)),
        ])
    func boxed(_ size: PixelSize, _ target: PixelSize) {
        let source = Self.picture(size)
        let quality = Self.quality(source.resized(to: target), Self.reference(source, target))
        #expect(quality >= 45, "\(quality) dB")
    }

    @Test("a colour is never higher than its alpha")
    func premultiplied() {
        let result = Self.picture(PixelSize(width: 200, height: 100), isOpaque: false).resized(
            to: PixelSize(width: 77, height: 33))
        result.withUnsafeBytes { bytes in
            let isValid = stride(from: 0, to: bytes.count, by: 4).allSatisfy { index in
                (0..<3).allSatisfy { bytes[index + $0] <= bytes[index + 3] }
            }
            #expect(isValid)
        }
    }

    @Test("a plain colour stays that colour up to the edges")
    func plain() {
        for (size, target) in [
            (PixelSize(width: 257, height: 129), PixelSize(width: 31, height: 17)),
            (PixelSize(width: 9, height: 5), PixelSize(width: 8, height: 3)),
        ] {
            let source = Bitmap(size: size) { buffer in
                for index in buffer.indices { buffer[index] = [200, 100, 50, 255][index % 4] }
            }
            source.resized(to: target).withUnsafeBytes { bytes in
                #expect(bytes.indices.allSatisfy { bytes[$0] == [200, 100, 50, 255][$0 % 4] })
            }
        }
    }

    @Test(
        "sides of one pixel work",
        arguments: [
            (PixelSize(width: 5000, height: 1), PixelSize(width: 100, height: 1)),
            (PixelSize(width: 1, height: 700), PixelSize(width: 1, height: 3)),
            (PixelSize(width: 300, height: 200), PixelSize(width: 1, height: 1)),
            (PixelSize(width: 1, height: 1), PixelSize(width: 1, height: 1)),
        ])
    func thin(_ size: PixelSize, _ target: PixelSize) {
        #expect(Self.picture(size).resized(to: target).size == target)
    }

    @Test("the same size gives the same pixels")
    func identity() {
        let source = Self.picture(PixelSize(width: 31, height: 17), isOpaque: false)
        source.resized(to: source.size).withUnsafeBytes { result in
            source.withUnsafeBytes { #expect($0.elementsEqual(result)) }
        }
    }

    @Test("a cancelled resize stops between rows")
    func cancelled() {
        let cancellation = DecodeCancellation()
        cancellation.cancel()
        #expect(throws: CancellationError.self) {
            try Self.picture(PixelSize(width: 40, height: 40)).resized(
                to: PixelSize(width: 20, height: 20), cancellation: cancellation)
        }
    }

    @Test("turning by an orientation puts each pixel in its place", arguments: ImageOrientation.allCases)
    func oriented(_ orientation: ImageOrientation) {
        let size = PixelSize(width: 5, height: 3)
        let source = Bitmap(size: size) { buffer in
            for index in 0..<15 { buffer[index * 4] = UInt8(index) }
        }
        let result = source.oriented(orientation)
        #expect(result.size == orientation.applied(to: size))
        for y in 0..<3 {
            for x in 0..<5 {
                let (left, top, right, bottom) = (x, y, 4 - x, 2 - y)
                let place =
                    switch orientation {
                    case .up: (left, top)
                    case .upMirrored: (right, top)
                    case .down: (right, bottom)
                    case .downMirrored: (left, bottom)
                    case .leftMirrored: (top, left)
                    case .right: (bottom, left)
                    case .rightMirrored: (bottom, right)
                    case .left: (top, right)
                    }
                #expect(result[place.0, place.1].red == UInt8(y * 5 + x))
            }
        }
    }
}

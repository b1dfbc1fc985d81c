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

    /// Lanczos by the book: double precision, the whole image, no shortcuts.
    ///
    /// - Parameter extent: How much of the source the image covers, if not all.
    static func reference(
        _ source: Bitmap, _ target: PixelSize, lobes: Double = 3, extent: (width: Double, height: Double)? = nil
    ) -> [Double] {
        func axis(_ sourceCount: Int, _ extent: Double, _ targetCount: Int) -> [[(index: Int, weight: Double)]] {
            let ratio = extent / Double(targetCount)
            let stretch = max(ratio, 1)
            return (0..<targetCount).map { target in
                let center = (Double(target) + 0.5) * ratio
                let window = (0..<sourceCount).compactMap { index -> (index: Int, weight: Double)? in
                    let x = (Double(index) + 0.5 - center) / stretch
                    guard abs(x) < lobes else { return nil }
                    if x == 0 { return (index, 1) }
                    return (index, lobes * sin(.pi * x) * sin(.pi * x / lobes) / (.pi * .pi * x * x))
                }
                let sum = window.reduce(0) { $0 + $1.weight }
                return window.map { ($0.index, $0.weight / sum) }
            }
        }
        let extent = extent ?? (Double(source.size.width), Double(source.size.height))
        let columns = axis(source.size.width, extent.width, target.width)
        let rows = axis(source.size.height, extent.height, target.height)
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

    /// Shapes that either quality resizes without boxes: both sides less than three times as long, or longer than before.
    static let plainShapes: [(size: PixelSize, target: PixelSize)] = {
        let sides: [[Int]] = [
            [90, 61, 61, 33], [64, 48, 33, 48], [40, 40, 40, 15], [20, 10, 47, 31], [3, 2, 2, 1], [1, 97, 1, 41],
            [97, 1, 41, 1], [1, 1, 3, 2], [2, 59, 1, 58], [101, 29, 100, 10], [7, 5, 6, 9], [33, 3, 12, 2],
            [256, 2, 87, 1],
        ]
        return sides.map { (PixelSize(width: $0[0], height: $0[1]), PixelSize(width: $0[2], height: $0[3])) }
    }()

    @Test(
        "without a pre-shrink, every channel is the reference's, rounded",
        arguments: plainShapes, [ResizeQuality.balanced, .fast])
    func exact(_ shape: (size: PixelSize, target: PixelSize), _ quality: ResizeQuality) throws {
        for isOpaque in [true, false] {
            let source = Self.picture(shape.size, isOpaque: isOpaque)
            let result = try source.resized(to: shape.target, quality: quality, cancellation: .init())
            #expect(result.size == shape.target)
            let reference = Self.reference(source, shape.target, lobes: quality == .balanced ? 3 : 2)
            let largest = result.withUnsafeBytes { bytes in
                bytes.indices.map { index in
                    // No colour is higher than its alpha, which Lanczos alone doesn't promise.
                    let most = index % 4 == 3 ? 255 : Double(bytes[index | 3])
                    return abs(Double(bytes[index]) - min(reference[index], most))
                }.max()
            }
            #expect(try #require(largest) <= 0.51, "the largest difference of a channel")
        }
    }

    @Test("a row or column that is covered partly counts for that part", arguments: [2.25, 5.5, 40.125])
    func partlyCovered(_ extent: Double) {
        let source = Self.picture(PixelSize(width: Int(extent.rounded(.up)), height: 9))
        let target = PixelSize(width: max(1, Int(extent / 1.7)), height: 5)
        let result = Self.resize(source, to: target, extent: (extent, 8.5))
        let reference = Self.reference(source, target, extent: (extent, 8.5))
        let largest = result.withUnsafeBytes { bytes in zip(bytes, reference).map { abs(Double($0) - $1) }.max() }
        #expect(largest ?? .infinity <= 0.51)
    }

    /// The rows of a bitmap through a resizer, as decoders use it.
    static func resize(
        _ source: Bitmap, to target: PixelSize, extent: (width: Double, height: Double)? = nil, averaged: Double = 1,
        channelCount: Int = 4, quality: ResizeQuality = .balanced
    ) -> Bitmap {
        source.withUnsafeBytes { bytes in
            Bitmap(size: target) { buffer in
                let resizer = RowResizer(
                    source: source.size, extent: extent, averaged: averaged, channelCount: channelCount,
                    isOpaque: true, quality: quality,
                    placement: RowPlacement(buffer, storedSize: target, orientation: .up))
                var row = [UInt8](repeating: 0, count: source.size.width * channelCount)
                for y in 0..<source.size.height {
                    for x in 0..<source.size.width {
                        for channel in 0..<channelCount {
                            row[x * channelCount + channel] = bytes[(y * source.size.width + x) * 4 + channel]
                        }
                    }
                    resizer.append(row)
                }
            }
        }
    }

    @Test(
        "rows without alpha give the same pixels as opaque ones with it",
        arguments: [
            (PixelSize(width: 90, height: 61), PixelSize(width: 61, height: 33)),
            (PixelSize(width: 203, height: 101), PixelSize(width: 23, height: 17)),
            (PixelSize(width: 31, height: 7), PixelSize(width: 31, height: 7)),
            (PixelSize(width: 1, height: 50), PixelSize(width: 1, height: 3)),
        ])
    func rowsWithoutAlpha(_ size: PixelSize, _ target: PixelSize) {
        let source = Self.picture(size)
        let expected = Self.resize(source, to: target)
        Self.resize(source, to: target, channelCount: 3).withUnsafeBytes { result in
            expected.withUnsafeBytes { #expect($0.elementsEqual(result)) }
        }
    }

    @Test(
        "with a pre-shrink, the quality is at least 45 dB",
        arguments: [
            (PixelSize(width: 401, height: 303), PixelSize(width: 53, height: 40)),
            (PixelSize(width: 640, height: 200), PixelSize(width: 31, height: 97)),
            (PixelSize(width: 500, height: 500), PixelSize(width: 7, height: 7)),
            (PixelSize(width: 400, height: 300), PixelSize(width: 99, height: 74)),
        ])
    func boxed(_ size: PixelSize, _ target: PixelSize) {
        let source = Self.picture(size)
        let quality = Self.quality(source.resized(to: target), Self.reference(source, target))
        #expect(quality >= 45, "\(quality) dB")
    }

    @Test(
        "with a pre-shrink, no channel of a smooth picture differs by more than 1, and hardly any by that",
        arguments: [ResizeQuality.balanced, .fast])
    func boxedSmooth(_ quality: ResizeQuality) throws {
        let source = Bitmap(size: PixelSize(width: 320, height: 240)) { buffer in
            for index in buffer.indices {
                let (x, y) = (Double(index / 4 % 320), Double(index / 4 / 320))
                let wave = 127 + 100 * sin(x / 40 + Double(index % 4)) * cos(y / 33)
                buffer[index] = index % 4 == 3 ? 255 : UInt8(wave.rounded())
            }
        }
        let target = PixelSize(width: 41, height: 37)
        let result = try source.resized(to: target, quality: quality, cancellation: .init())
        let reference = Self.reference(source, target, lobes: quality == .balanced ? 3 : 2)
        let errors = result.withUnsafeBytes { bytes in zip(bytes, reference).map { abs(Double($0) - $1) } }
        let mean = errors.reduce(0, +) / Double(errors.count)
        #expect(try #require(errors.max()) <= 1)
        // Rounding alone is a quarter.
        #expect(mean <= 0.3, "the mean difference")
    }

    @Test("what averaging took of the detail is given back", arguments: [2, 4, 8])
    func averaged(_ side: Int) {
        let source = Self.picture(PixelSize(width: 640, height: 480))
        let size = PixelSize(width: 640 / side, height: 480 / side)
        let boxes = source.withUnsafeBytes { bytes in
            Bitmap(size: size) { buffer in
                for index in buffer.indices {
                    let (x, y) = (index / 4 % size.width * side, index / 4 / size.width * side)
                    var sum = 0
                    for box in 0..<side * side {
                        sum += Int(bytes[((y + box / side) * 640 + x + box % side) * 4 + index % 4])
                    }
                    buffer[index] = UInt8((sum + side * side / 2) / (side * side))
                }
            }
        }
        let target = PixelSize(width: size.width * 10 / 19, height: size.height * 10 / 19)
        let reference = Self.reference(source, target)
        let plain = Self.quality(Self.resize(boxes, to: target), reference)
        let corrected = Self.quality(Self.resize(boxes, to: target, averaged: Double(side)), reference)
        #expect(corrected >= plain + 0.5, "\(plain) dB before, \(corrected) dB after")
    }

    @Test("the weights of every target sample add up to 1, and no window leaves the source", arguments: [1, 2.5, 8])
    func weights(_ averaged: Double) {
        for (count, extent, target) in [
            (1, 1.0, 1), (1, 0.3, 4), (7, 6.1, 3), (50, 50, 49), (375, 375, 264), (9, 9, 31),
        ] {
            for lobes in [2, 3] {
                let filter = ResizeFilter(
                    .init(
                        sourceCount: count, extent: extent, targetCount: target, averaged: averaged, lobes: lobes))
                for index in 0..<target {
                    let window = filter.weights[index * filter.tapCount..<(index + 1) * filter.tapCount]
                    #expect(abs(window.reduce(0, +) - 1) < 1e-5)
                    #expect(filter.starts[index] >= 0)
                    #expect(Int(filter.starts[index]) + filter.tapCount <= count)
                }
            }
        }
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

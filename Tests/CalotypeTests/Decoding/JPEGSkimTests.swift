#if os(Linux)
import CCodecs
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("JPEG at an eighth: codes are passed over without libjpeg")
struct JPEGSkimTests {
    /// All rows, at a scale.
    private static func rows(_ data: Data, denominator: Int) throws -> (size: PixelSize, bytes: [UInt8]) {
        try data.withUnsafeBytes { bytes in
            let reader = try JPEGReader(bytes)
            let info = try #require(try reader.header())
            let stored = PixelSize(width: Int(info.width), height: Int(info.height))
            let plan = JPEGPlan(
                stored: stored, orientation: .up, target: .fit(width: stored.width / (denominator * 2), height: nil),
                quality: .balanced)
            try #require(plan.denominator == denominator)
            let (size, channelCount) = try reader.start(plan, model: info.model)
            try #require(channelCount == 3)
            var rows = [UInt8](repeating: 0, count: size.pixelCount * 3)
            var y = 0
            while y < size.height {
                let count = try rows.withUnsafeMutableBufferPointer { buffer in
                    try reader.readRows(
                        buffer.baseAddress! + y * size.width * 3, stride: size.width * 3,
                        capacity: min(8, size.height - y))
                }
                y += try #require(count)
            }
            return (size, rows)
        }
    }

    @Test(
        "rows are the means of blocks of the full decode",
        arguments: ["waves-420.jpg", "waves-444.jpg", "waves-gray.jpg", "waves-restarts.jpg"])
    func means(_ name: String) throws {
        let data = try ImageFixture.data(name)
        let full = try ImageDecoders.system.decode(data).bitmap
        let (size, rows) = try Self.rows(data, denominator: 8)
        #expect(size == PixelSize(width: 26, height: 18))
        var worst = 0.0
        // The last column and row are of less than a block.
        for y in 0..<size.height - 1 {
            for x in 0..<size.width - 1 {
                var sums = (0, 0, 0)
                for pixel in 0..<64 {
                    let color = full[x * 8 + pixel % 8, y * 8 + pixel / 8]
                    sums = (sums.0 + Int(color.red), sums.1 + Int(color.green), sums.2 + Int(color.blue))
                }
                let offset = (y * size.width + x) * 3
                for (channel, sum) in [sums.0, sums.1, sums.2].enumerated() {
                    worst = max(worst, abs(Double(sum) / 64 - Double(rows[offset + channel])))
                }
            }
        }
        // Chroma that the library makes smooth, and colours that it cuts off, differ by some levels.
        #expect(worst < 6, "\(worst)")
    }

    private enum Outcome: Equatable {
        case rows
        case incomplete
        case corrupt
        case other(String)
    }

    private static func outcome(_ data: Data, denominator: Int) -> Outcome {
        do {
            _ = try rows(data, denominator: denominator)
            return .rows
        } catch let error as ImageError {
            return switch error.reason {
            case .incomplete: .incomplete
            case .corrupt: .corrupt
            default: .other("\(error)")
            }
        } catch {
            return .other("\(error)")
        }
    }

    @Test(
        "what is damaged, or cut off, is what libjpeg says of it at another scale",
        arguments: ["waves-420.jpg", "waves-444.jpg", "waves-gray.jpg", "waves-restarts.jpg"])
    func damage(_ name: String) throws {
        let whole = try ImageFixture.data(name)
        let start = try #require(whole.range(of: Data([0xFF, 0xDA]))).upperBound + 12
        var generator = SeededGenerator(seed: 8)
        var counts: [String: Int] = [:]
        for round in 0..<120 {
            var data = whole
            switch round % 3 {
            case 0: data.removeSubrange(Int.random(in: start..<data.count - 2, using: &generator)...)
            case 1:
                data[Int.random(in: start..<data.count - 2, using: &generator)] ^=
                    UInt8(1 << Int.random(in: 0..<8, using: &generator))
            default: data[Int.random(in: start..<data.count - 2, using: &generator)] = 0xFF
            }
            let outcome = Self.outcome(data, denominator: 8)
            #expect(outcome == Self.outcome(data, denominator: 4), "round \(round)")
            counts["\(outcome)", default: 0] += 1
        }
        #expect(counts["rows"] ?? 0 > 0 && counts["incomplete"] ?? 0 > 10 && counts["corrupt"] ?? 0 > 10, "\(counts)")
    }
}
#endif

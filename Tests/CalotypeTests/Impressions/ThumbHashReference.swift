import Calotype
import CalotypeTesting
import Foundation

/// ThumbHash as its description has it, in doubles and with a loop for every sum: slow, and easy to compare with the
/// formulas. Independent of what it checks.
enum ThumbHashReference {
    /// The hash of a picture of at most 100 pixels a side.
    static func encode(_ bitmap: Bitmap) -> [UInt8] {
        let (width, height) = (bitmap.size.width, bitmap.size.height)
        let pixels = (0..<width * height).map { bitmap.pixel($0 % width, $0 / width) }
        let alphas = pixels.map { Double($0.alpha) / 255 }
        let total = alphas.reduce(0, +)
        func mixed(_ channel: (Int) -> UInt8) -> [Double] {
            // Premultiplied, over the average.
            let values = pixels.indices.map { Double(channel($0)) / 255 }
            let average = total > 0 ? values.reduce(0, +) / total : 0
            return zip(values, alphas).map { value, alpha in value + average * (1 - alpha) }
        }
        let (red, green, blue) = (mixed { pixels[$0].red }, mixed { pixels[$0].green }, mixed { pixels[$0].blue })
        let hasAlpha = pixels.contains { $0.alpha < 255 }

        let longest = Double(max(width, height))
        let limit = hasAlpha ? 5.0 : 7.0
        let lx = max(1, Int((limit * Double(width) / longest).rounded()))
        let ly = max(1, Int((limit * Double(height) / longest).rounded()))

        func channel(_ values: [Double], _ nx: Int, _ ny: Int) -> (average: Double, others: [Double], scale: Double) {
            var all: [Double] = []
            for cy in 0..<ny {
                for cx in 0..<nx where cx * ny < nx * (ny - cy) {
                    var sum = 0.0
                    for y in 0..<height {
                        for x in 0..<width {
                            let horizontal = cos(Double.pi / Double(width) * Double(cx) * (Double(x) + 0.5))
                            let vertical = cos(Double.pi / Double(height) * Double(cy) * (Double(y) + 0.5))
                            sum += values[y * width + x] * horizontal * vertical
                        }
                    }
                    all.append(sum / Double(width * height))
                }
            }
            let others = Array(all.dropFirst())
            let scale = others.map { abs($0) }.max() ?? 0
            // What is left of flat channels is rounding.
            return (all[0], others.map { scale > 1e-4 ? 0.5 + 0.5 / scale * $0 : 0 }, scale)
        }

        let indices = pixels.indices
        let l = channel(indices.map { (red[$0] + green[$0] + blue[$0]) / 3 }, max(3, lx), max(3, ly))
        let p = channel(indices.map { (red[$0] + green[$0]) / 2 - blue[$0] }, 3, 3)
        let q = channel(indices.map { red[$0] - green[$0] }, 3, 3)
        let a = channel(alphas, 5, 5)

        // Halves go up, whatever the rounding errors.
        func bits(_ value: Double) -> Int { Int((value + 1e-4).rounded()) }
        var first = bits(63 * l.average) | bits(31.5 + 31.5 * p.average) << 6
        first |= bits(31.5 + 31.5 * q.average) << 12
        first |= bits(31 * l.scale) << 18
        if hasAlpha { first |= 1 << 23 }
        var second = min(lx, ly) | bits(63 * p.scale) << 3 | bits(63 * q.scale) << 9
        if width > height { second |= 1 << 15 }
        var hash = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8($0 & 255) }
        if hasAlpha { hash.append(UInt8(bits(15 * a.average) | bits(15 * a.scale) << 4)) }
        let nibbles = (l.others + p.others + q.others + (hasAlpha ? a.others : [])).map { bits(15 * $0) }
        for index in stride(from: 0, to: nibbles.count, by: 2) {
            hash.append(UInt8(nibbles[index] | (index + 1 < nibbles.count ? nibbles[index + 1] << 4 : 0)))
        }
        return hash
    }
}

import Foundation
import Synchronization

/// The weights of one axis: which source samples make each target sample.
///
/// Lanczos, stretched by the ratio when the image shrinks, normalised to a sum of 1 for each target sample, and cut off
/// (and normalised again) at the edges. All windows have one length, padded with weights of 0, so that the loops over them
/// need no cases.
///
/// Source samples that are averages already, of boxes or by a scaled decode, have lost some of their fine detail: at the
/// frequency f, counted per sample, an average of n has sin(pi f) / (n sin(pi f / n)) of it, about
/// 1 - (pi f)^2 / 6 * (1 - 1/n^2). A filter of -a, 1 + 2a, -a with a = (1 - 1/n^2) / 24 undoes that to the second order,
/// and is part of the weights: it costs nothing, and brings a pre-shrink to twice the target to where three times was
/// without it.
final class ResizeFilter: Sendable {
    /// What a filter is made for.
    struct Shape: Hashable, Sendable {
        /// The source samples that there are.
        var sourceCount: Int
        /// The length of the source axis in samples: less than `sourceCount` where the last sample is only partly
        /// covered, as after a scaled decode of 3001 pixels by 1/8.
        var extent: Double
        /// The target samples.
        var targetCount: Int
        /// How many pixels along the axis each source sample is the average of: 1 if none.
        var averaged = 1.0
        /// Of the Lanczos function: 3, or 2 for fewer taps and a softer result.
        var lobes = 3
    }

    let shape: Shape
    /// The length of each window.
    let tapCount: Int
    /// The first source sample of each window; never decreasing; `starts[i] + tapCount <= sourceCount`.
    let starts: [Int32]
    /// `tapCount` weights for each target sample.
    let weights: [Float]

    var byteCount: Int { starts.count * 4 + weights.count * 4 }

    init(_ shape: Shape) {
        self.shape = shape
        let ratio = shape.extent / Double(shape.targetCount)
        let stretch = max(ratio, 1)
        let support = Double(shape.lobes) * stretch
        let sharpening = (1 - 1 / (shape.averaged * shape.averaged)) / 24
        let windowLength = min(Int(support.rounded(.up)) * 2 + 1, shape.sourceCount)
        var first = [Int](repeating: 0, count: shape.targetCount)
        var windows = [Double](repeating: 0, count: shape.targetCount * windowLength)
        var longest = 1
        for target in 0..<shape.targetCount {
            let center = (Double(target) + 0.5) * ratio
            var low = min(max(Int((center - support + 0.5).rounded(.down)), 0), shape.sourceCount - 1)
            let high = max(min(Int((center + support + 0.5).rounded(.down)), shape.sourceCount), low + 1)
            var window = (low..<min(high, low + windowLength)).map { source in
                Self.lanczos((Double(source) + 0.5 - center) / stretch, lobes: Double(shape.lobes))
            }
            if sharpening > 0 { Self.sharpen(&window, by: sharpening) }
            // The outermost lobes end in zeros: not worth a multiplication.
            while window.count > 1, abs(window[window.count - 1]) < 1e-6 { window.removeLast() }
            while window.count > 1, abs(window[0]) < 1e-6 {
                window.removeFirst()
                low += 1
            }
            let sum = window.reduce(0, +)
            for index in window.indices { windows[target * windowLength + index] = window[index] / sum }
            first[target] = low
            longest = max(longest, window.count)
        }
        tapCount = longest
        var starts = [Int32](repeating: 0, count: shape.targetCount)
        var weights = [Float](repeating: 0, count: shape.targetCount * longest)
        for target in 0..<shape.targetCount {
            // Windows that would reach over the end begin earlier, with weights of 0.
            let start = min(first[target], shape.sourceCount - longest)
            let shift = first[target] - start
            starts[target] = Int32(start)
            for index in 0..<longest - shift {
                weights[target * longest + shift + index] = Float(windows[target * windowLength + index])
            }
        }
        self.starts = starts
        self.weights = weights
    }

    private static func lanczos(_ x: Double, lobes: Double) -> Double {
        if x == 0 { return 1 }
        if abs(x) >= lobes { return 0 }
        let angle = Double.pi * x
        return lobes * sin(angle) * sin(angle / lobes) / (angle * angle)
    }

    /// Filters a window by -a, 1 + 2a, -a. It stays as long as it is: what would lie beyond its ends, where weights are
    /// next to nothing, counts for the outermost sample, as it does at the image's edges.
    private static func sharpen(_ window: inout [Double], by amount: Double) {
        let plain = window
        for index in plain.indices {
            let before = plain[max(index - 1, 0)]
            let after = plain[min(index + 1, plain.count - 1)]
            window[index] = plain[index] * (1 + 2 * amount) - (before + after) * amount
        }
    }
}

extension ResizeFilter {
    /// The filter of that shape, from the cache if the same was used lately: for small images, making the table costs
    /// more than using it.
    static func filter(_ shape: Shape) -> ResizeFilter {
        if let filter = cache.withLock({ $0.filter(shape) }) { return filter }
        let filter = ResizeFilter(shape)
        cache.withLock { $0.insert(filter) }
        return filter
    }

    private static let cache = Mutex(Cache())

    /// The filters used last, few enough to look through one by one.
    private struct Cache {
        private var filters: [ResizeFilter] = []

        mutating func filter(_ shape: Shape) -> ResizeFilter? {
            guard let index = filters.lastIndex(where: { $0.shape == shape }) else { return nil }
            let filter = filters.remove(at: index)
            filters.append(filter)
            return filter
        }

        /// Keeps at most 32 filters of at most 64 KiB each.
        mutating func insert(_ filter: ResizeFilter) {
            guard filter.byteCount <= 64 << 10 else { return }
            if filters.count == 32 { filters.removeFirst() }
            filters.append(filter)
        }
    }
}

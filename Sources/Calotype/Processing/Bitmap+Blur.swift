extension Bitmap {
    /// The same image, blurred nearly as by a Gaussian; beyond its edges, their pixels go on for ever.
    ///
    ///     bytes -> floats -> three boxes along each row -> 8.8 bits -> three boxes down strips of columns -> bytes
    ///
    /// - Parameters:
    ///   - radius: The standard deviation, in pixels; not negative. At most half of the longer side counts.
    ///   - cancellation: Looked at between rows, and between strips of 16 columns.
    /// - Complexity: In the number of pixels, whatever the radius.
    /// - Memory: 8 bytes a pixel, for as long as it runs.
    package func blurred(radius: Double, cancellation: DecodeCancellation) throws -> Bitmap {
        try cancellation.check()
        let radius = min(radius, Double(max(size.width, size.height)) / 2)
        guard radius > 0 else { return self }
        let box = BlurKernels.Box(standardDeviation: radius)
        let rowSampleCount = size.width * 4
        let middle = UnsafeMutablePointer<UInt16>.allocate(capacity: rowSampleCount * size.height)
        defer { middle.deallocate() }
        try withUnsafeBytes { pixels in
            let line = BlurLine(count: size.width, lanes: 4, box: box)
            let base = pixels.baseAddress!.assumingMemoryBound(to: UInt8.self)
            for y in 0..<size.height {
                try cancellation.check()
                ResizeKernels.widen(base + y * bytesPerRow, line.center, count: rowSampleCount)
                line.extendEdges()
                line.apply { BlurKernels.boxRow($0, $1, count: $2, box: box) }
                BlurKernels.toFixed(line.start, middle + y * rowSampleCount, count: rowSampleCount)
            }
        }
        return try Bitmap(size: size) { buffer in
            let base = buffer.baseAddress!.assumingMemoryBound(to: UInt8.self)
            for left in stride(from: 0, to: rowSampleCount, by: 64) {
                try cancellation.check()
                let lanes = min(64, rowSampleCount - left)
                let strip = BlurLine(count: size.height, lanes: lanes, box: box)
                for y in 0..<size.height {
                    BlurKernels.fromFixed(middle + y * rowSampleCount + left, strip.center + y * lanes, count: lanes)
                }
                strip.extendEdges()
                strip.apply { BlurKernels.boxColumns($0, $1, count: $2, lanes: lanes, sums: strip.sums, box: box) }
                for y in 0..<size.height {
                    let row = base + y * bytesPerRow + left
                    ResizeKernels.narrow(strip.start + y * lanes, row, count: lanes)
                    // Sums of floats are off by a little, so that a rounded colour could be above its alpha.
                    ResizeKernels.limitToAlpha(row, pixelCount: lanes / 4)
                }
            }
        }
    }
}

extension BlurKernels.Box {
    /// The box that, applied three times, has that standard deviation.
    ///
    /// A box of 2r + 1 samples, and of `edge` on either side, has the variance
    /// (r (r + 1) (2r + 1) / 3 + 2 edge (r + 1)^2) / (2r + 1 + 2 edge). Three times that is to be the Gaussian's; r is the
    /// largest whose plain box has no more.
    init(standardDeviation: Double) {
        let variance = standardDeviation * standardDeviation / 3
        let r = (((12 * variance + 1).squareRoot() - 1) / 2).rounded(.down)
        let length = 2 * r + 1
        let edge = length * (variance - r * (r + 1) / 3) / (2 * ((r + 1) * (r + 1) - variance))
        self.init(inner: Int(length), edge: Float(min(max(edge, 0), 1)))
    }
}

/// A row or a strip of columns, with room for its edges' continuation, which three passes use up.
///
/// - Isolation: Used by one thread.
private final class BlurLine {
    private let count: Int
    private let lanes: Int
    /// The steps by which the line is longer on either side.
    private let margin: Int
    private let reach: Int
    private let front: UnsafeMutableBufferPointer<Float>
    private let back: UnsafeMutableBufferPointer<Float>
    /// A sum for each lane, for the pass.
    let sums: UnsafeMutablePointer<Float>

    /// Makes room for `count` steps of `lanes` samples.
    init(count: Int, lanes: Int, box: BlurKernels.Box) {
        self.count = count
        self.lanes = lanes
        reach = box.reach
        // Three passes, each of which takes half of `reach` (which is even) on either side.
        margin = box.reach / 2 * 3
        let capacity = (count + 2 * margin) * lanes
        front = .allocate(capacity: capacity)
        back = .allocate(capacity: capacity)
        sums = .allocate(capacity: lanes)
        front.initialize(repeating: 0)
        back.initialize(repeating: 0)
        sums.initialize(repeating: 0, count: lanes)
    }

    deinit {
        front.deallocate()
        back.deallocate()
        sums.deallocate()
    }

    /// Where the samples are put; `count` steps.
    var center: UnsafeMutablePointer<Float> { front.baseAddress! + margin * lanes }
    /// Where the result is found after ``apply(_:)``; `count` steps.
    var start: UnsafeMutablePointer<Float> { back.baseAddress! }

    /// Repeats the first and the last step outwards.
    func extendEdges() {
        let base = front.baseAddress!
        let last = center + (count - 1) * lanes
        for step in 0..<margin {
            (base + step * lanes).update(from: center, count: lanes)
            (last + (step + 1) * lanes).update(from: last, count: lanes)
        }
    }

    /// Runs the pass three times, to and fro: it gets a source, a target and the number of steps to make.
    func apply(_ pass: (UnsafePointer<Float>, UnsafeMutablePointer<Float>, Int) -> Void) {
        let (front, back) = (front.baseAddress!, back.baseAddress!)
        let whole = count + 2 * margin
        pass(front, back, whole - reach)
        pass(back, front, whole - 2 * reach)
        pass(front, back, whole - 3 * reach)
    }
}

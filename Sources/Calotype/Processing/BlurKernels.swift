// The inner loops of the blur: a box filter whose outermost two samples count partly, by a running sum.
//
//     out[i] = (in[i] * edge + in[i + 1] + ... + in[i + inner] + in[i + inner + 1] * edge) * scale
//
// Plain `while` loops over pointers, for the same reasons as the resize's.
enum BlurKernels {
    /// What one pass computes.
    struct Box {
        /// How many samples count fully; odd.
        var inner: Int
        /// What the sample on either side of those counts, 0 to 1.
        var edge: Float

        /// The samples that an output needs besides one.
        var reach: Int { inner + 1 }
        /// What brings the sum of the weights to 1.
        var scale: Float { 1 / (Float(inner) + 2 * edge) }
    }

    /// One pass along a row of RGBA. `count` pixels come out of `count + box.reach`.
    @inline(never)
    static func boxRow(
        _ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>, count: Int, box: Box
    ) {
        let (edge, scale) = (box.edge, box.scale)
        var red: Float = 0
        var green: Float = 0
        var blue: Float = 0
        var alpha: Float = 0
        var index = 1
        while index <= box.inner {
            let pixel = source + index &* 4
            red += pixel[0]
            green += pixel[1]
            blue += pixel[2]
            alpha += pixel[3]
            index &+= 1
        }
        var first = source
        var last = source + box.reach &* 4
        var output = target
        var x = 0
        while x < count {
            output[0] = (red + edge * (first[0] + last[0])) * scale
            output[1] = (green + edge * (first[1] + last[1])) * scale
            output[2] = (blue + edge * (first[2] + last[2])) * scale
            output[3] = (alpha + edge * (first[3] + last[3])) * scale
            first += 4
            red += last[0] - first[0]
            green += last[1] - first[1]
            blue += last[2] - first[2]
            alpha += last[3] - first[3]
            last += 4
            output += 4
            x &+= 1
        }
    }

    /// One pass down a strip of `lanes` samples a row. `count` rows come out of `count + box.reach`.
    @inline(never)
    static func boxColumns(
        _ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>, count: Int, lanes: Int,
        sums: UnsafeMutablePointer<Float>, box: Box
    ) {
        let (edge, scale) = (box.edge, box.scale)
        sums.update(repeating: 0, count: lanes)
        var index = 1
        while index <= box.inner {
            let row = source + index &* lanes
            var lane = 0
            while lane < lanes {
                sums[lane] += row[lane]
                lane &+= 1
            }
            index &+= 1
        }
        var y = 0
        while y < count {
            let first = source + y &* lanes
            let second = first + lanes
            let last = first + box.reach &* lanes
            let output = target + y &* lanes
            var lane = 0
            while lane < lanes {
                output[lane] = (sums[lane] + edge * (first[lane] + last[lane])) * scale
                sums[lane] += last[lane] - second[lane]
                lane &+= 1
            }
            y &+= 1
        }
    }

    /// Floats from 0 to 255 to 16 bits, of which 8 come after the point.
    @inline(never)
    static func toFixed(_ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<UInt16>, count: Int) {
        var index = 0
        while index < count {
            // Adding 2^23 leaves the rounded integer in the lowest bits.
            target[index] = UInt16(truncatingIfNeeded: (source[index] * 256 + 8_388_608).bitPattern)
            index &+= 1
        }
    }

    /// The other way round.
    @inline(never)
    static func fromFixed(_ source: UnsafePointer<UInt16>, _ target: UnsafeMutablePointer<Float>, count: Int) {
        var index = 0
        while index < count {
            target[index] = Float(source[index]) * (1 / 256)
            index &+= 1
        }
    }
}

// The inner loops of the resize. Plain `while` loops over pointers with wrapping index arithmetic: the optimiser turns
// them into vector code as good as C's, and an unoptimised build stays usable, as nothing in them is a call. (The
// standard library's SIMD conversions were measured 13 times slower, ranges and iterators are slow without -O.)
//
// Samples are interleaved RGBA, premultiplied, or RGB where a source has no alpha; floats hold 0 to 255.
//
// One build runs on every processor of its architecture, so on x86-64 this is SSE2 code. The same loops for AVX2 and FMA,
// in C behind a check at run time, were measured: they halve the time along rows and save a tenth of that down columns,
// together a tenth of decoding a 12-megapixel JPEG to 1179 pixels, where the resize weighs most, and a hundredth to 264.
// Not enough for a second set of kernels. Integers of 16 bits (pmaddwd) are no quicker along rows with SSE2.
enum ResizeKernels {
    /// Multiplies the colours of straight RGBA by their alpha, in place, rounded to the nearest.
    @inline(never)
    static func premultiply(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        var pixel = row
        var x = 0
        while x < pixelCount {
            let alpha = UInt32(pixel[3])
            if alpha != 255 {
                // (v + 128 + (v + 128) / 256) / 256 is v / 255, rounded, for all products of two bytes.
                let red = UInt32(pixel[0]) &* alpha &+ 128
                let green = UInt32(pixel[1]) &* alpha &+ 128
                let blue = UInt32(pixel[2]) &* alpha &+ 128
                pixel[0] = UInt8(truncatingIfNeeded: (red &+ (red >> 8)) >> 8)
                pixel[1] = UInt8(truncatingIfNeeded: (green &+ (green >> 8)) >> 8)
                pixel[2] = UInt8(truncatingIfNeeded: (blue &+ (blue >> 8)) >> 8)
            }
            pixel += 4
            x &+= 1
        }
    }

    /// Bytes to floats.
    @inline(never)
    static func widen(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<Float>, count: Int) {
        var index = 0
        while index < count {
            target[index] = Float(source[index])
            index &+= 1
        }
    }

    /// Adds bytes to sums: at most 257 rows fit 16 bits.
    @inline(never)
    static func accumulate(_ source: UnsafePointer<UInt8>, _ sums: UnsafeMutablePointer<UInt16>, count: Int) {
        var index = 0
        while index < count {
            sums[index] = sums[index] &+ UInt16(source[index])
            index &+= 1
        }
    }

    /// Averages each `boxWidth` pixels of `rowCount` rows' sums, with `channelCount` samples each, 3 or 4; the last box
    /// holds what is left. Clears the sums.
    @inline(never)
    static func averageBoxes(
        _ sums: UnsafeMutablePointer<UInt16>, pixelCount: Int, channelCount: Int, boxWidth: Int, rowCount: Int,
        _ target: UnsafeMutablePointer<Float>
    ) {
        var output = target
        var pixel = sums
        var x = 0
        while x < pixelCount {
            let end = x &+ boxWidth < pixelCount ? x &+ boxWidth : pixelCount
            let scale = 1 / Float((end &- x) &* rowCount)
            var red: UInt32 = 0
            var green: UInt32 = 0
            var blue: UInt32 = 0
            var alpha: UInt32 = 0
            while x < end {
                red = red &+ UInt32(pixel[0])
                green = green &+ UInt32(pixel[1])
                blue = blue &+ UInt32(pixel[2])
                // With three channels, the next pixel's red, which isn't used: cheaper than a case.
                alpha = alpha &+ UInt32(pixel[3])
                pixel += channelCount
                x &+= 1
            }
            output[0] = Float(red) * scale
            output[1] = Float(green) * scale
            output[2] = Float(blue) * scale
            output[3] = Float(alpha) * scale
            output += channelCount
        }
        var index = 0
        while index < pixelCount &* channelCount {
            sums[index] = 0
            index &+= 1
        }
    }

    /// Filters one row along its length: `channelCount` samples for each source pixel, 3 or 4, and 4 for each target pixel.
    /// The fourth of three is the next pixel's first, so one more sample than the row's must be readable.
    @inline(never)
    static func filterRow(
        _ source: UnsafePointer<Float>, channelCount: Int, _ target: UnsafeMutablePointer<Float>, count: Int,
        starts: UnsafePointer<Int32>, weights: UnsafePointer<Float>, tapCount: Int
    ) {
        var window = weights
        var output = target
        var x = 0
        while x < count {
            var pixel = source + Int(starts[x]) &* channelCount
            var red: Float = 0
            var green: Float = 0
            var blue: Float = 0
            var alpha: Float = 0
            var tap = 0
            while tap < tapCount {
                let weight = window[tap]
                red += pixel[0] * weight
                green += pixel[1] * weight
                blue += pixel[2] * weight
                alpha += pixel[3] * weight
                pixel += channelCount
                tap &+= 1
            }
            output[0] = red
            output[1] = green
            output[2] = blue
            output[3] = alpha
            output += 4
            window += tapCount
            x &+= 1
        }
    }

    /// Rows and the weights they are added with.
    typealias WeightedRow = (row: UnsafePointer<Float>, weight: Float)

    /// Adds four weighted rows to a sum; begins the sum if `first`.
    @inline(never)
    static func addRows(
        _ sum: UnsafeMutablePointer<Float>, _ a: WeightedRow, _ b: WeightedRow, _ c: WeightedRow, _ d: WeightedRow,
        count: Int, first: Bool
    ) {
        var index = 0
        if first {
            while index < count {
                sum[index] =
                    a.row[index] * a.weight + b.row[index] * b.weight + c.row[index] * c.weight
                    + d.row[index] * d.weight
                index &+= 1
            }
        } else {
            while index < count {
                sum[index] +=
                    a.row[index] * a.weight + b.row[index] * b.weight + c.row[index] * c.weight
                    + d.row[index] * d.weight
                index &+= 1
            }
        }
    }

    /// Floats to bytes, to the nearest; what Lanczos makes lower than 0 or higher than 255 is cut off.
    @inline(never)
    static func narrow(_ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<UInt8>, count: Int) {
        var index = 0
        while index < count {
            var value = source[index]
            value = value < 0 ? 0 : value
            value = value > 255 ? 255 : value
            // Adding 2^23 leaves the rounded integer in the lowest bits: a conversion without a trap for NaN.
            target[index] = UInt8(truncatingIfNeeded: (value + 8_388_608).bitPattern)
            index &+= 1
        }
    }

    /// RGB to opaque RGBA.
    @inline(never)
    static func addAlpha(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        var pixel = source
        var output = target
        var x = 0
        while x < pixelCount {
            output[0] = pixel[0]
            output[1] = pixel[1]
            output[2] = pixel[2]
            output[3] = 255
            pixel += 3
            output += 4
            x &+= 1
        }
    }

    /// Makes the pixels of a row opaque, whatever is in the place of their alpha.
    @inline(never)
    static func setAlpha(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        var x = 0
        while x < pixelCount {
            row[x &* 4 &+ 3] = 255
            x &+= 1
        }
    }

    /// Keeps premultiplied colours at most as high as their alpha, where Lanczos overshoots.
    @inline(never)
    static func limitToAlpha(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        var pixel = row
        var x = 0
        while x < pixelCount {
            let alpha = pixel[3]
            pixel[0] = pixel[0] < alpha ? pixel[0] : alpha
            pixel[1] = pixel[1] < alpha ? pixel[1] : alpha
            pixel[2] = pixel[2] < alpha ? pixel[2] : alpha
            pixel += 4
            x &+= 1
        }
    }
}

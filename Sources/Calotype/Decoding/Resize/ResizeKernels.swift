// The inner loops of the resize. Plain `while` loops over pointers with wrapping index arithmetic: the optimiser turns
// them into vector code as good as C's, and an unoptimised build stays usable, as nothing in them is a call. (The
// standard library's SIMD conversions were measured 13 times slower, ranges and iterators are slow without -O.)
//
// Samples are interleaved RGBA, premultiplied; floats hold 0 to 255.
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

    /// Averages each `boxWidth` pixels of `rowCount` rows' sums; the last box holds what is left. Clears the sums.
    @inline(never)
    static func averageBoxes(
        _ sums: UnsafeMutablePointer<UInt16>, pixelCount: Int, boxWidth: Int, rowCount: Int,
        _ target: UnsafeMutablePointer<Float>
    ) {
        var output = target
        var x = 0
        while x < pixelCount {
            let end = x &+ boxWidth < pixelCount ? x &+ boxWidth : pixelCount
            let scale = 1 / Float((end &- x) &* rowCount)
            var red: UInt32 = 0
            var green: UInt32 = 0
            var blue: UInt32 = 0
            var alpha: UInt32 = 0
            while x < end {
                let pixel = sums + x &* 4
                red = red &+ UInt32(pixel[0])
                green = green &+ UInt32(pixel[1])
                blue = blue &+ UInt32(pixel[2])
                alpha = alpha &+ UInt32(pixel[3])
                x &+= 1
            }
            output[0] = Float(red) * scale
            output[1] = Float(green) * scale
            output[2] = Float(blue) * scale
            output[3] = Float(alpha) * scale
            output += 4
        }
        var index = 0
        while index < pixelCount &* 4 {
            sums[index] = 0
            index &+= 1
        }
    }

    /// Filters one row along its length.
    @inline(never)
    static func filterRow(
        _ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>, count: Int,
        starts: UnsafePointer<Int32>, weights: UnsafePointer<Float>, tapCount: Int
    ) {
        var window = weights
        var output = target
        var x = 0
        while x < count {
            var pixel = source + Int(starts[x]) &* 4
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
                pixel += 4
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

    /// Adds two weighted rows to a sum; begins the sum if `first`.
    @inline(never)
    static func addRows(
        _ sum: UnsafeMutablePointer<Float>, _ row0: UnsafePointer<Float>, _ weight0: Float,
        _ row1: UnsafePointer<Float>, _ weight1: Float, count: Int, first: Bool
    ) {
        var index = 0
        if first {
            while index < count {
                sum[index] = row0[index] * weight0 + row1[index] * weight1
                index &+= 1
            }
        } else {
            while index < count {
                sum[index] += row0[index] * weight0 + row1[index] * weight1
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

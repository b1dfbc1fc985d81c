/// Two rows of luma and the row of chroma that belongs to both, with half as many samples: what codecs keep at 4:2:0.
///
/// - Important: Borrowed: valid while they are handed over.
struct LumaChromaRows {
    let upper: UnsafePointer<UInt8>
    let lower: UnsafePointer<UInt8>
    /// Blue's difference from luma, and red's.
    let blue: UnsafePointer<UInt8>
    let red: UnsafePointer<UInt8>
}

/// What luma and chroma are of colours.
///
///     R = scale * (luma - black)                             + redOfRed * (red - 128)
///     G = scale * (luma - black) + greenOfBlue * (blue - 128) + greenOfRed * (red - 128)
///     B = scale * (luma - black) + blueOfBlue * (blue - 128)
struct LumaChromaMatrix: Sendable, Hashable {
    var black: Float
    var scale: Float
    var redOfRed: Float
    var greenOfBlue: Float
    var greenOfRed: Float
    var blueOfBlue: Float

    /// Luma from 16 to 235, chroma from 16 to 240.
    ///
    /// - Source: ITU-R BT.601-7, sections 2.5.1 to 2.5.3: luma is 0.299 R + 0.587 G + 0.114 B.
    static let video = LumaChromaMatrix(
        black: 16, scale: 255 / 219, redOfRed: 1.402 * 255 / 224, greenOfBlue: -0.114 / 0.587 * 1.772 * 255 / 224,
        greenOfRed: -0.299 / 0.587 * 1.402 * 255 / 224, blueOfBlue: 1.772 * 255 / 224)
}

extension ResizeKernels {
    /// Averages luma, two by two of two rows, beside its chroma: three planes of `count` floats, one after the other.
    @inline(never)
    static func join(_ rows: LumaChromaRows, _ target: UnsafeMutablePointer<Float>, count: Int) {
        // Pairs of bytes as one number: which is first doesn't matter for their sum.
        let upper = UnsafeRawPointer(rows.upper)
        let lower = UnsafeRawPointer(rows.lower)
        var x = 0
        while x < count {
            let above = upper.loadUnaligned(fromByteOffset: x &* 2, as: UInt16.self)
            let below = lower.loadUnaligned(fromByteOffset: x &* 2, as: UInt16.self)
            let sum = (above & 255) &+ (above >> 8) &+ (below & 255) &+ (below >> 8)
            target[x] = Float(sum) * 0.25
            x &+= 1
        }
        widen(rows.blue, target + count, count: count)
        widen(rows.red, target + count &* 2, count: count)
    }

    /// Three planes of `count` samples, one after the other, as pixels of four, the last of which is 0.
    @inline(never)
    static func interleave(_ planes: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>, count: Int) {
        let (second, third) = (planes + count, planes + count &* 2)
        var x = 0
        while x < count {
            target[x &* 4] = planes[x]
            target[x &* 4 &+ 1] = second[x]
            target[x &* 4 &+ 2] = third[x]
            target[x &* 4 &+ 3] = 0
            x &+= 1
        }
    }

    /// Luma and chroma to red, green and blue, in place: pixels of four samples, the last of which is left alone.
    @inline(never)
    static func convert(_ row: UnsafeMutablePointer<Float>, pixelCount: Int, by matrix: LumaChromaMatrix) {
        var pixel = row
        var x = 0
        while x < pixelCount {
            let luma = (pixel[0] - matrix.black) * matrix.scale
            let blue = pixel[1] - 128
            let red = pixel[2] - 128
            pixel[0] = luma + red * matrix.redOfRed
            pixel[1] = luma + blue * matrix.greenOfBlue + red * matrix.greenOfRed
            pixel[2] = luma + blue * matrix.blueOfBlue
            pixel += 4
            x &+= 1
        }
    }
}

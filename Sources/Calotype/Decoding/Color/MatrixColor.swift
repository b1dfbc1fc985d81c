import Foundation

/// Converts colours that a curve for each channel and a matrix describe: tables to light, a matrix, a table to the screen's
/// curve. A third of the time that Little CMS takes for the same, within 1 of its values.
///
/// - Memory: 3 KiB; the table to the screen's curve, 16 KiB, is shared.
struct MatrixColor: Sendable {
    /// The light of each of the 256 values of red, then of green and of blue.
    private let light: [Float]
    private let red, green, blue: SIMD3<Float>
    private let tone: Tone?

    /// What HDR needs besides.
    fileprivate enum Tone: Sendable {
        /// Light is the screen's, in diffuse whites.
        case display
        /// Light is the scene's; these weights make its luminance.
        case scene(SIMD3<Float>)
    }

    /// - Parameter light: 3 times 256 values.
    /// - Returns: `nil` if the matrix can't be meant: that of primaries nearly in a line is all large numbers.
    private init?(light: [Float], matrix: ColorMatrix, tone: Tone? = nil) {
        let columns = matrix.columns
        let isSane = [columns.0, columns.1, columns.2].allSatisfy { column in
            (0..<3).allSatisfy { abs(column[$0]) < 100 }
        }
        guard isSane else { return nil }
        self.light = light
        self.tone = tone
        // By rows, as a pixel needs them.
        red = SIMD3(Float(columns.0.x), Float(columns.1.x), Float(columns.2.x))
        green = SIMD3(Float(columns.0.y), Float(columns.1.y), Float(columns.2.y))
        blue = SIMD3(Float(columns.0.z), Float(columns.1.z), Float(columns.2.z))
    }

    /// What code points or numbers say.
    ///
    /// - Returns: `nil` if they can't be meant: primaries in a line, a gamma that shows nothing.
    init?(
        primaries: SourceColor.Chromaticities, transfer: SourceColor.Transfer, to target: DecodedImage.ColorSpace
    ) {
        if case .gamma(let exponent) = transfer, !(0.2...10).contains(exponent) { return nil }
        guard let matrix = ColorMatrix(from: primaries, to: target.chromaticities) else { return nil }
        let channel = (0...255).map { Float(transfer.light(of: Double($0) / 255)) }
        let tone: Tone? =
            switch transfer {
            case .pq, .compressedPQ: .display
            // ITU-R BT.2100's weights, whose primaries these files have.
            case .hlg: .scene([0.2627, 0.6780, 0.0593])
            default: nil
            }
        self.init(light: channel + channel + channel, matrix: matrix, tone: tone)
    }

    /// What a profile says whose curves make this light, and whose parts look like these X, Y and Z, relative to D50.
    init?(light: [Float], colorants: ColorMatrix, to target: DecodedImage.ColorSpace) {
        let white = ColorMatrix.connectionWhite
        guard let matrix = ColorMatrix(colorants: colorants, white: white, to: target.chromaticities) else {
            return nil
        }
        self.init(light: light, matrix: matrix)
    }

    /// Converts straight RGBA in place; alpha stays.
    func convert(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        light.withUnsafeBufferPointer { light in
            ScreenCurve.bytes.withUnsafeBufferPointer { bytes in
                convert(row, pixelCount: pixelCount, light: light.baseAddress!, bytes: bytes.baseAddress!)
            }
        }
    }

    private func convert(
        _ row: UnsafeMutablePointer<UInt8>, pixelCount: Int, light: UnsafePointer<Float>, bytes: UnsafePointer<UInt8>
    ) {
        var pixel = row
        var x = 0
        while x < pixelCount {
            var r = light[Int(pixel[0])]
            var g = light[256 &+ Int(pixel[1])]
            var b = light[512 &+ Int(pixel[2])]
            if let tone {
                let scale = tone.scale(r, g, b)
                r *= scale
                g *= scale
                b *= scale
            }
            pixel[0] = bytes[ScreenCurve.index(red.x * r + red.y * g + red.z * b)]
            pixel[1] = bytes[ScreenCurve.index(green.x * r + green.y * g + green.z * b)]
            pixel[2] = bytes[ScreenCurve.index(blue.x * r + blue.y * g + blue.z * b)]
            pixel += 4
            x &+= 1
        }
    }
}

extension MatrixColor.Tone {
    /// What the light of a pixel is multiplied by.
    @inline(__always)
    fileprivate func scale(_ red: Float, _ green: Float, _ blue: Float) -> Float {
        let brightest = max(red, max(green, blue))
        guard brightest > 0 else { return 0 }
        switch self {
        case .display:
            return ToneCurve.value(at: brightest) / brightest
        case .scene(let weights):
            // ITU-R BT.2100 table 5: the system gamma is 1.2 on a display of 1,000 cd/m2.
            let luminance = weights.x * red + weights.y * green + weights.z * blue
            let gain = ToneCurve.peak * powf(luminance, 0.2)
            return ToneCurve.value(at: brightest * gain) / brightest
        }
    }
}

extension DecodedImage.ColorSpace {
    fileprivate var chromaticities: SourceColor.Chromaticities {
        switch self {
        case .sRGB: .sRGB
        case .displayP3: .displayP3
        }
    }
}

/// The curve of sRGB and of Display P3, from light to bytes.
enum ScreenCurve {
    /// The bytes at each 16,384th of light: where the curve is steepest, a step is a fifth of a byte.
    static let bytes: [UInt8] = (0...16_384).map { index in
        byte(Double(index) / 16_384)
    }

    /// - Parameter light: 0 to 1.
    static func byte(_ light: Double) -> UInt8 {
        let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8((value * 255).rounded())
    }

    /// Where light stands in the table; what the screen can't show is cut off.
    @inline(__always)
    static func index(_ light: Float) -> Int {
        var scaled = light * 16_384 + 0.5
        // Also for what isn't a number.
        scaled = scaled > 0 ? scaled : 0
        scaled = scaled < 16_384 ? scaled : 16_384
        return Int(truncatingIfNeeded: Int32(scaled))
    }
}

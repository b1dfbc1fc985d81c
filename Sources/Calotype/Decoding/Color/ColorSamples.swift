/// A few colours that a conversion is tried on, to learn what it does.
enum ColorSamples {
    private static let levels: [UInt8] = [0, 12, 40, 96, 160, 255]

    /// RGBA, or inks, in all combinations of a few levels.
    private static let pixels: [UInt8] = levels.flatMap { first in
        levels.flatMap { second in levels.flatMap { third in [first, second, third, 255] } }
    }

    /// Inks without black, then with half of it.
    private static let inks: [UInt8] = {
        var inks = pixels + pixels
        for index in stride(from: 3, to: inks.count, by: 4) { inks[index] = index < pixels.count ? 0 : 128 }
        return inks
    }()

    private static let grays: [UInt8] = (UInt8.min...UInt8.max).flatMap { gray -> [UInt8] in [gray, gray, gray, 255] }

    /// Whether no sample moves by more than 1.
    static func isUnchanged(by conversion: ColorConversion, of model: SourceColor.Model) -> Bool {
        let samples = samples(of: model)
        return zip(samples, converted(samples, by: conversion)).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    /// Whether some sample, converted to Display P3, lies outside sRGB.
    static func exceedSRGB(_ conversion: ColorConversion, of model: SourceColor.Model) -> Bool {
        guard let matrix = ColorMatrix(from: .displayP3, to: .sRGB) else { return false }
        let converted = converted(samples(of: model), by: conversion)
        let light = (0...255).map { SourceColor.Transfer.sRGB.light(of: Double($0) / 255) }
        // Half a byte of rounding is up to 0.006 of light.
        let range = -0.015...1.015
        return stride(from: 0, to: converted.count, by: 4).contains { index in
            let channels = (0..<3).map { light[Int(converted[index + $0])] }
            let color = matrix * SIMD3(channels)
            return !range.contains(color.x) || !range.contains(color.y) || !range.contains(color.z)
        }
    }

    /// What becomes of each gray.
    ///
    /// - Parameter convert: Converts pixels in place.
    static func grays(_ convert: (UnsafeMutablePointer<UInt8>, Int) -> Void) -> [UInt8] {
        var pixels = grays
        pixels.withUnsafeMutableBufferPointer { convert($0.baseAddress!, 256) }
        // Green is nearest to lightness, should the others differ by a rounding.
        return (0...255).map { pixels[$0 * 4 + 1] }
    }

    private static func samples(of model: SourceColor.Model) -> [UInt8] {
        switch model {
        case .rgb: pixels
        case .gray: grays
        case .cmyk: inks
        }
    }

    private static func converted(_ pixels: [UInt8], by conversion: ColorConversion) -> [UInt8] {
        var pixels = pixels
        pixels.withUnsafeMutableBufferPointer { conversion.convert($0.baseAddress!, pixelCount: $0.count / 4) }
        return pixels
    }
}

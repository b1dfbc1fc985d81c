/// Turns rows of a file's colours into sRGB or Display P3, premultiplied.
///
/// It comes after the resize: a thumbnail's pixels are converted, not the file's. Those of inks are turned into light only
/// then, too.
///
/// Colours that the result can't hold become its nearest by the profile's perceptual intent, or are cut off where the
/// profile has none: what printers' profiles call black is black. HDR is tone-mapped by ``ToneCurve``.
///
/// - Isolation: Immutable; may be used by any threads at once.
struct ColorConversion: Sendable {
    /// The colour space of converted rows.
    let result: DecodedImage.ColorSpace
    /// Whether light beyond white had to be made less.
    let isToneMapped: Bool
    private let step: Step

    /// How pixels are converted.
    fileprivate enum Step: Sendable {
        /// They are the result's already.
        case nothing
        /// Inks let light through, one after the other.
        case inks
        /// A gray for each gray.
        case grays([UInt8])
        /// By curves and a matrix.
        case matrix(MatrixColor)
        #if canImport(CCodecs)
        case profile(ProfileColor)
        /// The same of inks.
        case inkProfile(ProfileColor)
        #endif
    }

    /// - Parameter limits: Its `profileByteCount` is looked at.
    /// - Returns: `nil` where rows are sRGB already, or pass for it: without a word, or with a profile that is damaged,
    ///   over the limit, or of another model than the file. Never of HDR.
    init?(_ source: SourceColor, to widest: DecodedImage.ColorSpace, limits: ImageLimits) {
        guard
            let conversion = source.usesProfile
                ? ColorConversionCache.conversion(source, to: widest, limits: limits) : Self.made(source, to: widest)
        else { return nil }
        self = conversion
    }

    private init(_ step: Step, result: DecodedImage.ColorSpace, isToneMapped: Bool) {
        self.step = step
        self.result = result
        self.isToneMapped = isToneMapped
    }

    /// Converts pixels, 4 bytes each, in place.
    func convert(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        switch step {
        case .nothing: return
        case .inks: ColorRows.mixInks(row, pixelCount: pixelCount)
        #if canImport(CCodecs)
        case .inkProfile(let profile):
            profile.convert(row, pixelCount: pixelCount)
            // The last ink's place.
            ResizeKernels.setAlpha(row, pixelCount: pixelCount)
        #endif
        default:
            // Curves are those of the colour itself, not of what its alpha leaves of it.
            let isOpaque = ColorRows.isOpaque(row, pixelCount: pixelCount)
            if !isOpaque { ColorRows.unpremultiply(row, pixelCount: pixelCount) }
            convertStraight(row, pixelCount: pixelCount)
            if !isOpaque { ResizeKernels.premultiply(row, pixelCount: pixelCount) }
        }
    }

    private func convertStraight(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        switch step {
        case .grays(let table): ColorRows.replaceGrays(row, pixelCount: pixelCount, by: table)
        case .matrix(let color): color.convert(row, pixelCount: pixelCount)
        #if canImport(CCodecs)
        case .profile(let profile), .inkProfile(let profile): profile.convert(row, pixelCount: pixelCount)
        #endif
        case .nothing, .inks: return
        }
    }
}

extension ColorConversion {
    /// Finds out what the source needs, by trying it on a few colours: many profiles are sRGB by another name.
    static func made(_ source: SourceColor, to widest: DecodedImage.ColorSpace) -> ColorConversion? {
        let isHDR = if case .coded(_, let transfer) = source.encoding { transfer.isHDR } else { false }
        guard let step = Step(source, to: .sRGB) else {
            return source.model == .cmyk ? ColorConversion(.inks, result: .sRGB, isToneMapped: false) : nil
        }
        let standard = ColorConversion(step, result: .sRGB, isToneMapped: isHDR)
        if source.model != .cmyk, ColorSamples.isUnchanged(by: standard, of: source.model) {
            // What remains to be told is that light was made less.
            return isHDR ? ColorConversion(.nothing, result: .sRGB, isToneMapped: true) : nil
        }
        guard widest == .displayP3, source.model != .gray, let wideStep = Step(source, to: .displayP3) else {
            return standard
        }
        let wide = ColorConversion(wideStep, result: .displayP3, isToneMapped: isHDR)
        guard ColorSamples.exceedSRGB(wide, of: source.model) else { return standard }
        if source.model != .cmyk, ColorSamples.isUnchanged(by: wide, of: source.model) {
            return ColorConversion(.nothing, result: .displayP3, isToneMapped: isHDR)
        }
        return wide
    }
}

extension ColorConversion.Step {
    /// - Returns: `nil` if the source says nothing that could be followed.
    fileprivate init?(_ source: SourceColor, to target: DecodedImage.ColorSpace) {
        switch source.encoding {
        case .standard:
            return nil
        case .profile(let profile):
            self.init(profile: profile, source.model, to: target)
        case .gamma(let exponent, let primaries):
            // How PNG's writers say sRGB: 1/2.2 stands for its curve (PNG, Third Edition, section 11.3.2.5).
            let isStandard = abs(exponent - 2.2) < 0.03 && (primaries ?? .sRGB).isSRGB
            self.init(coded: primaries ?? .sRGB, isStandard ? .sRGB : .gamma(exponent), source.model, to: target)
        case .coded(let primaries, let transfer):
            self.init(coded: primaries, transfer, source.model, to: target)
        }
    }

    private init?(profile: [UInt8], _ model: SourceColor.Model, to target: DecodedImage.ColorSpace) {
        #if canImport(CCodecs)
        guard let profile = CheckedProfile(profile) else { return nil }
        if model == .rgb, let color = MatrixColor(profile, to: target) {
            self = .matrix(color)
            return
        }
        guard let color = ProfileColor(profile, model: model, to: target) else { return nil }
        switch model {
        case .rgb: self = .profile(color)
        case .gray: self = .grays(ColorSamples.grays { color.convert($0, pixelCount: $1) })
        case .cmyk: self = .inkProfile(color)
        }
        #else
        // Image I/O applies profiles itself.
        return nil
        #endif
    }

    private init?(
        coded primaries: SourceColor.Chromaticities, _ transfer: SourceColor.Transfer, _ model: SourceColor.Model,
        to target: DecodedImage.ColorSpace
    ) {
        guard let color = MatrixColor(primaries: primaries, transfer: transfer, to: target) else { return nil }
        switch model {
        case .rgb: self = .matrix(color)
        case .gray: self = .grays(ColorSamples.grays { color.convert($0, pixelCount: $1) })
        // Primaries of light say nothing of inks.
        case .cmyk: return nil
        }
    }
}

extension SourceColor {
    fileprivate var usesProfile: Bool { if case .profile = encoding { true } else { false } }
}

extension SourceColor.Chromaticities {
    /// Whether they are sRGB's, as far as files write them out.
    var isSRGB: Bool {
        let other = Self.sRGB
        let pairs = [
            (whiteX, other.whiteX), (whiteY, other.whiteY), (redX, other.redX), (redY, other.redY),
            (greenX, other.greenX), (greenY, other.greenY), (blueX, other.blueX), (blueY, other.blueY),
        ]
        return pairs.allSatisfy { abs($0 - $1) < 0.002 }
    }
}

extension DecodedImage {
    /// An image of rows that have been converted.
    convenience init(bitmap: Bitmap, originalPixelSize: PixelSize, conversion: ColorConversion?) {
        self.init(
            bitmap: bitmap, originalPixelSize: originalPixelSize, colorSpace: conversion?.result ?? .sRGB,
            isToneMapped: conversion?.isToneMapped ?? false)
    }
}

#if canImport(CCodecsAVIF)
import CCodecs
import CCodecsAVIF
import Foundation

/// Decodes AVIF through libavif and dav1d: rows are converted from the codec's planes as the resize takes them.
///
/// What a file's items say of its picture counts, never its EXIF: a crop, turns, a mirror. HDR is tone-mapped by
/// ``ToneCurve``. Samples of 10 and 12 bits are rounded once, after the colours have been made of them; those of PQ
/// keep in bytes what is seen of them, see ``ToneCurve/bytesOfPQ``.
///
/// dav1d can't be interrupted: the cancellation and the time limit are looked at before and after it, and between rows.
/// Whoever is no longer waiting has gone by then; the decode ends in the background.
///
/// - Isolation: Used by one thread at a time.
/// - Owns: libavif's decoder. The bytes are the caller's, who keeps them for as long as this lives.
final class AVIFDecoder {
    private let avif: OpaquePointer
    private let info: cc_avif_info
    private let options: DecodeOptions
    let color: SourceColor
    /// The part of the coded picture that is shown.
    private let crop: (left: Int, top: Int, size: PixelSize)
    private let orientation: ImageOrientation

    var frameCount: Int { Int(info.frame_count) }
    private var originalPixelSize: PixelSize { orientation.applied(to: crop.size) }

    /// Reads the file's structure.
    init(_ bytes: UnsafeRawBufferPointer, options: DecodeOptions, check: DecodeGuard) throws {
        guard let avif = cc_avif_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) else {
            throw ImageError(CC_NO_MEMORY, format: .avif, message: "", offset: nil)
        }
        self.avif = avif
        self.options = options
        var info = cc_avif_info()
        let limits = options.limits
        let status = cc_avif_read_header(
            avif, UInt32(clamping: limits.pixelCount), UInt32(clamping: limits.frameCount), &info)
        let coded = PixelSize(width: Int(info.width), height: Int(info.height))
        do {
            guard status == CC_OK else {
                throw ImageError(status, format: .avif, message: cc_avif_message(avif), offset: nil)
            }
            try check.check(coded)
        } catch {
            cc_avif_close(avif)
            throw error
        }
        self.info = info
        color = Self.color(info, limits).inBytes
        let terms = withUnsafeBytes(of: info.aperture) { Array($0.bindMemory(to: UInt32.self)) }
        let aperture = info.has_aperture ? CleanAperture(terms) : nil
        crop = aperture?.rectangle(in: coded) ?? (0, 0, coded)
        let turned = ImageOrientation.up.turned(counterclockwise: Int(info.turn_count))
        orientation =
            info.mirror_axis < 0 ? turned : turned.mirrored(info.mirror_axis == 0 ? .topToBottom : .leftToRight)
    }

    deinit { cc_avif_close(avif) }

    private static func color(_ info: cc_avif_info, _ limits: ImageLimits) -> SourceColor {
        if let profile = info.profile, info.profile_byte_count <= limits.profileByteCount {
            return SourceColor(
                encoding: .profile(Array(UnsafeBufferPointer(start: profile, count: info.profile_byte_count))))
        }
        return SourceColor(encoding: .codePoints(primaries: Int(info.primaries), transfer: Int(info.transfer)))
    }

    private func succeed(_ status: cc_status) throws {
        guard status != CC_OK else { return }
        throw ImageError(status, format: .avif, message: cc_avif_message(avif), offset: nil)
    }

    /// Decodes a frame. Those before it that it is made of are decoded as well, if it isn't the one after the last.
    func image(at index: Int, check: DecodeGuard) throws -> DecodedImage {
        try check.check()
        try succeed(cc_avif_decode(avif, UInt32(index)))
        try check.check()
        let conversion = ColorConversion(color, to: options.colorSpace, limits: options.limits)
        let bitmap = try (color.byteTable ?? []).withUnsafeBufferPointer { table in
            try succeed(
                cc_avif_start_rows(
                    avif, UInt32(crop.left), UInt32(crop.top), UInt32(crop.size.width), UInt32(crop.size.height),
                    table.isEmpty ? nil : table.baseAddress))
            return try DecodedRows(
                stored: crop.size, orientation: orientation, isOpaque: !info.has_alpha, quality: options.quality,
                conversion: conversion
            ) { first, count, rows, stride in
                try self.succeed(cc_avif_read_rows(self.avif, UInt32(first), UInt32(count), rows, stride))
            }.bitmap(options.target, check: check)
        }
        return DecodedImage(bitmap: bitmap, originalPixelSize: originalPixelSize, conversion: conversion)
    }

    /// How long each frame is shown; a tenth of a second where the file doesn't say.
    func durations() -> [Duration] {
        (0..<frameCount).map { index in
            let seconds = cc_avif_frame_duration(avif, UInt32(index))
            return seconds > 0 && seconds < 86_400 ? .seconds(seconds) : .milliseconds(100)
        }
    }
}

extension AVIFDecoder {
    /// Decodes a file: its picture, or the first of its frames and, on demand, the others.
    static func decode(_ data: Data, options: DecodeOptions, check: DecodeGuard) throws -> DecodedImage {
        let (first, durations) = try data.withUnsafeBytes { bytes in
            guard !ImageHeader.isCutOff(bytes, format: .avif) else { throw ImageError(.decoding, .incomplete(.avif)) }
            let decoder = try AVIFDecoder(bytes, options: options, check: check)
            return (try decoder.image(at: 0, check: check), decoder.durations())
        }
        guard durations.count > 1 else { return first }
        var frameOptions = options
        frameOptions.cancellation = DecodeCancellation()
        // The library tells nothing of how often a sequence plays: for ever, as nearly all do.
        let animation = ImageAnimation(
            durations: durations, loopCount: 0, first: first,
            sourceByteCount: frameByteCount(data, first.originalPixelSize)
        ) { [frameOptions] in AVIFFrames(data, options: frameOptions) }
        return DecodedImage(first, animation: animation)
    }
}

extension AVIFDecoder {
    /// The file and its copy, and up to eight frames that others are made of, in planes of 8 bits.
    private static func frameByteCount(_ data: Data, _ size: PixelSize) -> Int {
        DecodeEstimate.add(DecodeEstimate.multiply(data.count, 2), DecodeEstimate.multiply(size.pixelCount, 12))
    }
}

/// The frames of an AVIF sequence, best asked for one after another.
///
/// `@unchecked Sendable`: used by one thread at a time, as ``AnimationFrames`` says.
final class AVIFFrames: AnimationFrames, @unchecked Sendable {
    private let options: DecodeOptions
    private let bytes: UnsafeMutableRawBufferPointer
    private var decoder: AVIFDecoder?

    /// - Parameter data: The file, of which a copy is kept: the library refers to the bytes for as long as it decodes.
    init(_ data: Data, options: DecodeOptions) {
        self.options = options
        bytes = .allocate(byteCount: data.count, alignment: 16)
        data.withUnsafeBytes { bytes.copyMemory(from: $0) }
    }

    deinit {
        decoder = nil
        bytes.deallocate()
    }

    func image(at index: Int, cancellation: DecodeCancellation) throws -> DecodedImage {
        var options = options
        options.cancellation = cancellation
        let check = DecodeGuard(format: .avif, options: options)
        let decoder = try decoder ?? AVIFDecoder(UnsafeRawBufferPointer(bytes), options: options, check: check)
        // After an error the library is of no more use.
        self.decoder = nil
        let image = try decoder.image(at: index, check: check)
        self.decoder = decoder
        return image
    }
}
#endif

#if canImport(CCodecsJPEGXL)
import CCodecs
import CCodecsJPEGXL
import Foundation

/// Decodes JPEG XL through libjxl: rows are resized as they become complete.
///
/// Pictures in the format's own colours are made sRGB or Display P3 by the library, others as their profile says. HDR is
/// tone-mapped by ``ToneCurve``. The codestream's orientation is applied, never EXIF's.
///
/// Of an animation whose codestream isn't in a container, the header of the last frame has to be there; that the rest of it
/// is missing is found out when the frame is asked for.
///
/// The library gets the file piece by piece; in between, the cancellation and the time limit are looked at.
///
/// - Isolation: Used by one thread at a time.
/// - Owns: libjxl's decoder. The bytes are the caller's, who keeps them for as long as this lives.
/// - Memory: The library's own, and the rows that wait for others above them: some 300 of them, unless the file has its
///   groups in another order.
final class JPEGXLDecoder {
    /// How many bytes the library gets at a time. A step is the work on what they complete: on a few groups of 256 by 256
    /// pixels, or on the coarse half of one of 2048 by 2048, which takes longest, some 13 ms.
    static let stepByteCount = 8 << 10

    private let jxl: OpaquePointer
    private let info: cc_jxl_info
    private let options: DecodeOptions
    private let stored: PixelSize
    private let orientation: ImageOrientation
    private let color: SourceColor

    var isAnimated: Bool { info.is_animated }
    var loopCount: Int { Int(info.loop_count) }

    /// Reads the header.
    ///
    /// - Parameter readsPixels: Otherwise it is to look at frames alone.
    init(
        _ bytes: UnsafeRawBufferPointer, readsPixels: Bool = true, options: DecodeOptions, check: DecodeGuard
    ) throws {
        guard let jxl = cc_jxl_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) else {
            throw ImageError(CC_NO_MEMORY, format: .jpegXL, message: "", offset: 0)
        }
        self.jxl = jxl
        self.options = options
        var info = cc_jxl_info()
        let status = cc_jxl_read_header(
            jxl, readsPixels, options.colorSpace == .displayP3, options.limits.profileByteCount, &info)
        stored = PixelSize(width: Int(info.width), height: Int(info.height))
        do {
            guard status == CC_OK else {
                throw ImageError(status, format: .jpegXL, message: cc_jxl_message(jxl), offset: cc_jxl_offset(jxl))
            }
            try check.check(stored)
        } catch {
            cc_jxl_close(jxl)
            throw error
        }
        self.info = info
        orientation = ImageOrientation(rawValue: Int(info.orientation)) ?? .up
        color = Self.color(info).inBytes
    }

    deinit { cc_jxl_close(jxl) }

    private static func color(_ info: cc_jxl_info) -> SourceColor {
        switch info.color {
        case CC_JXL_DISPLAY_P3:
            return SourceColor(encoding: .coded(primaries: .displayP3, transfer: .sRGB))
        case CC_JXL_PROFILE:
            let bytes = Array(UnsafeBufferPointer(start: info.profile, count: info.profile_byte_count))
            return SourceColor(model: info.is_gray ? .gray : .rgb, encoding: .profile(bytes))
        case CC_JXL_PQ, CC_JXL_HLG:
            let c = info.chromaticities
            let primaries = SourceColor.Chromaticities(
                whiteX: c.0, whiteY: c.1, redX: c.2, redY: c.3, greenX: c.4, greenY: c.5, blueX: c.6, blueY: c.7)
            return SourceColor(
                model: info.is_gray ? .gray : .rgb,
                // Gray has none, and needs none.
                encoding: .coded(
                    primaries: info.is_gray ? .sRGB : primaries, transfer: info.color == CC_JXL_PQ ? .pq : .hlg))
        default:
            return SourceColor()
        }
    }

    private func succeed(_ status: cc_status) throws {
        guard status != CC_OK else { return }
        throw ImageError(status, format: .jpegXL, message: cc_jxl_message(jxl), offset: cc_jxl_offset(jxl))
    }

    /// Passes over frames; to be called before the first.
    func skipFrames(_ count: Int) throws {
        try succeed(cc_jxl_skip_frames(jxl, UInt32(count)))
    }

    /// How long each frame is shown, by a look at their headers alone. For a decoder that doesn't read pixels.
    func durations(check: DecodeGuard) throws -> [Duration] {
        var durations: [Duration] = []
        var frame = cc_jxl_frame()
        while !frame.is_last {
            try check.check()
            guard durations.count < check.limits.frameCount else {
                throw ImageError(
                    .decoding, .limitExceeded(.jpegXL, detail: "more than \(check.limits.frameCount) frames"))
            }
            try succeed(cc_jxl_next_frame(jxl, &frame))
            let seconds = info.tick_rate > 0 ? Double(frame.duration) / info.tick_rate : 0
            durations.append(seconds > 0 && seconds < 86_400 ? .seconds(seconds) : .milliseconds(100))
        }
        return durations
    }

    /// Decodes the next frame.
    func image(check: DecodeGuard) throws -> DecodedImage {
        var frame = cc_jxl_frame()
        try succeed(cc_jxl_next_frame(jxl, &frame))
        let original = orientation.applied(to: stored)
        let result = options.target.pixelSize(for: original)
        let conversion = ColorConversion(color, to: options.colorSpace, limits: options.limits)
        let bitmap = try Bitmap(size: result) { buffer in
            let placement = RowPlacement(
                buffer, storedSize: orientation.applied(to: result), orientation: orientation, conversion: conversion)
            let resizer = RowResizer(
                source: stored, channelCount: Int(info.channel_count), isOpaque: !info.has_alpha,
                quality: options.quality, placement: placement)
            try (color.byteTable ?? []).withUnsafeBufferPointer { table in
                try succeed(cc_jxl_start(jxl, table.isEmpty ? nil : table.baseAddress))
                var isDone = false
                var y = 0
                while !isDone {
                    try check.check()
                    try succeed(cc_jxl_decode(jxl, Self.stepByteCount, &isDone))
                    while let row = cc_jxl_take_row(jxl) {
                        if y % 16 == 0 { try check.check() }
                        if info.has_alpha, !info.is_premultiplied {
                            ResizeKernels.premultiply(row, pixelCount: stored.width)
                        }
                        resizer.append(row)
                        y += 1
                    }
                }
                guard y == stored.height else {
                    throw ImageError(.decoding, .corrupt(.jpegXL, detail: "rows are missing", offset: nil))
                }
            }
        }
        return DecodedImage(bitmap: bitmap, originalPixelSize: original, conversion: conversion)
    }
}

extension JPEGXLDecoder {
    /// Decodes a file: its picture, or the first of its frames and, on demand, the others.
    static func decode(_ data: Data, options: DecodeOptions, check: DecodeGuard) throws -> DecodedImage {
        let (first, durations, loopCount) = try data.withUnsafeBytes { bytes in
            guard !ImageHeader.isCutOff(bytes, format: .jpegXL) else {
                throw ImageError(.decoding, .incomplete(.jpegXL))
            }
            let decoder = try JPEGXLDecoder(bytes, options: options, check: check)
            let first = try decoder.image(check: check)
            guard decoder.isAnimated else { return (first, [Duration](), 0) }
            let durations = try JPEGXLDecoder(bytes, readsPixels: false, options: options, check: check)
                .durations(check: check)
            return (first, durations, decoder.loopCount)
        }
        guard durations.count > 1 else { return first }
        var frameOptions = options
        frameOptions.cancellation = DecodeCancellation()
        // The file and its copy, and a picture of three floats that the next frame is blended with.
        let kept = DecodeEstimate.add(
            DecodeEstimate.multiply(data.count, 2), DecodeEstimate.multiply(first.originalPixelSize.pixelCount, 12))
        let animation = ImageAnimation(
            durations: durations, loopCount: loopCount, first: first, sourceByteCount: kept
        ) { [frameOptions] in JPEGXLFrames(data, options: frameOptions) }
        return DecodedImage(first, animation: animation)
    }
}

/// The frames of an animated JPEG XL, best asked for one after another.
///
/// `@unchecked Sendable`: used by one thread at a time, as ``AnimationFrames`` says.
final class JPEGXLFrames: AnimationFrames, @unchecked Sendable {
    private let options: DecodeOptions
    private let bytes: UnsafeMutableRawBufferPointer
    private var decoder: JPEGXLDecoder?
    /// The frame that the decoder comes to next.
    private var next = 0

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
        let check = DecodeGuard(format: .jpegXL, options: options)
        let decoder: JPEGXLDecoder
        if let current = self.decoder, index == next {
            decoder = current
        } else {
            decoder = try JPEGXLDecoder(UnsafeRawBufferPointer(bytes), options: options, check: check)
            if index > 0 { try decoder.skipFrames(index) }
        }
        // After an error the library is of no more use.
        self.decoder = nil
        let image = try decoder.image(check: check)
        self.decoder = decoder
        next = index + 1
        return image
    }
}
#endif

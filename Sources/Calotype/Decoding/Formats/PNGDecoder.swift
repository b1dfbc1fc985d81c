#if canImport(CCodecs)
import CCodecs
import Foundation

/// Decodes PNG through libpng: rows resized as they come, or, where they come interlaced, from a bitmap of all of them.
///
/// Checksums count: a wrong one in a chunk that matters is ``ImageError/Reason/corrupt(_:detail:offset:)``, and a file
/// without its end chunk is incomplete. Of an animated file the first frame is decoded, on its canvas, and further frames
/// on demand; one whose animation is unsound is its still image.
///
/// A value that borrows the bytes: used inside one `withUnsafeBytes` closure.
struct PNGDecoder {
    let data: Data
    let bytes: UnsafeRawBufferPointer
    let header: ImageHeader
    let options: DecodeOptions
    let check: DecodeGuard
    /// The bytes are those that have arrived: rows that aren't there yet are transparent.
    var isPartial = false

    func decode() throws -> DecodedImage {
        let orientation = header.orientation
        let structure = try animation()
        let first = structure?.frames.first
        // What a frame doesn't cover, and what isn't there yet, is transparent.
        let isWhole = !isPartial && (first.map { $0.control.pixelCount == header.pixelSize?.pixelCount } ?? true)
        let reader = try PNGReader(bytes, frame: first, heads: structure?.heads, alwaysAlpha: !isWhole)
        try check.check(reader.size)
        let canvas = header.pixelSize.map(orientation.applied) ?? reader.size
        let frame = cc_frame(
            first?.control ?? FrameControl(width: reader.size.width, height: reader.size.height, duration: .zero),
            hasAlpha: reader.info.has_alpha)
        let color = SourceColor(png: ByteReader(bytes), isGray: reader.info.is_gray, limits: check.limits)
        let conversion = ColorConversion(color, to: options.colorSpace, limits: options.limits)
        let original = orientation.applied(to: canvas)
        let result = options.target.pixelSize(for: original)

        let bitmap = try Bitmap(size: result) { buffer in
            let placement = RowPlacement(
                buffer, storedSize: orientation.applied(to: result), orientation: orientation, conversion: conversion)
            let rows = FrameRows(
                frame: frame, canvas: canvas,
                resizer: RowResizer(
                    source: canvas, channelCount: Int(reader.info.channel_count),
                    isOpaque: !reader.info.has_alpha && isWhole, quality: options.quality, placement: placement),
                check: check)
            try rows.begin()
            let isThere = try isComplete { try reader.forEachRow(check, isPartial: isPartial, rows.append) }
            guard isThere || isPartial && rows.frameRowCount > 0 else { throw ImageError(.decoding, .incomplete(.png)) }
            try rows.finish()
        }
        let still = DecodedImage(bitmap: bitmap, originalPixelSize: original, conversion: conversion)
        if isPartial { return still }
        try reader.finish()
        guard let structure else { return still }
        let animation = ComposedFrames.animation(
            of: APNGFrames(data: data, canvasSize: canvas, structure: structure), data: data,
            loopCount: structure.loopCount, first: still, color: color, orientation: orientation, options: options)
        return animation.map { DecodedImage(still, animation: $0) } ?? still
    }

    private func animation() throws -> APNGStructure? {
        guard !isPartial || !APNGStructure.hasStillBesideFrames(ByteReader(bytes)) else {
            throw ImageError(.decoding, .incomplete(.png))
        }
        guard !isPartial, let size = header.pixelSize else { return nil }
        return try APNGStructure(
            ByteReader(bytes), canvas: header.orientation.applied(to: size), frameLimit: check.limits.frameCount)
    }
}

/// The frames of an animated PNG.
private struct APNGFrames: FrameSource {
    let data: Data
    let canvasSize: PixelSize
    let controls: [FrameControl]
    private let frames: [APNGStructure.Frame]
    private let heads: APNGStructure.Heads

    var format: ImageFormat { .png }
    /// An interlaced frame's pixels, and rows.
    var drawingByteCount: Int { (controls.map(\.pixelCount).max() ?? 0) * 4 + canvasSize.width * 4 * 8 }

    init(data: Data, canvasSize: PixelSize, structure: APNGStructure) {
        self.data = data
        self.canvasSize = canvasSize
        frames = structure.frames
        heads = structure.heads
        controls = frames.map(\.control)
    }

    func draw(_ index: Int, on canvas: FrameCanvas, check: DecodeGuard) throws {
        try data.withUnsafeBytes { bytes in
            let reader = try PNGReader(bytes, frame: frames[index], heads: heads, alwaysAlpha: true)
            var y = 0
            try reader.forEachRow(check) { row in
                canvas.draw(row, y: y, of: controls[index])
                y += 1
            }
            // That of the still image reads through the whole file.
            if frames[index].dataOffset != nil { try reader.finish() }
        }
    }
}
#endif

#if canImport(CCodecs)
import CCodecs
import Foundation

/// Decodes WebP through libwebp, and resizes rows as they come: of lossy frames to between a half and a quarter, luma and
/// chroma as they are kept, which become colours only at the target's size; else, of what the library scales to 1.65 times
/// the target.
///
/// The library's scaling averages boxes, and of lossy frames with alpha it averages the colours of transparent pixels in:
/// those are decoded at full size. Of an animated file the first frame is decoded, on its canvas, which is transparent
/// where the frame doesn't cover it; further frames on demand. A file with fewer bytes than its header announces is
/// ``ImageError/Reason/incomplete(_:)``.
///
/// A value that borrows the bytes: used inside one `withUnsafeBytes` closure.
struct WebPDecoder {
    let data: Data
    let bytes: UnsafeRawBufferPointer
    let header: ImageHeader
    let options: DecodeOptions
    let check: DecodeGuard
    /// The bytes are those that have arrived: rows that aren't there yet are transparent.
    var isPartial = false

    func decode() throws -> DecodedImage {
        let reader = try WebPReader(bytes)
        let info = try reader.readHeader(frameLimit: check.limits.frameCount)
        let canvas = PixelSize(width: Int(info.width), height: Int(info.height))
        try check.check(canvas)
        let isLossless = try reader.beginFirst()
        let frame = reader.frame
        let color = SourceColor(webP: ByteReader(bytes), limits: check.limits)
        let conversion = ColorConversion(color, to: options.colorSpace, limits: options.limits)
        let orientation = header.orientation
        let original = orientation.applied(to: canvas)
        let result = options.target.pixelSize(for: original)
        let storedResult = orientation.applied(to: result)
        let isWhole = frame.covers(canvas)
        let mayScale = isWhole && (isLossless || !frame.has_alpha)
        let full = PixelSize(width: Int(frame.width), height: Int(frame.height))
        let scaled = mayScale ? Self.scaledSize(from: full, to: storedResult) : full
        let joinsChroma = mayScale && !isLossless && !isPartial && Self.joinsChroma(from: full, to: storedResult)

        let bitmap = try Bitmap(size: result) { buffer in
            let placement = RowPlacement(
                buffer, storedSize: storedResult, orientation: orientation, conversion: conversion)
            if joinsChroma {
                let resizer = RowResizer(
                    source: PixelSize(width: (full.width + 1) / 2, height: (full.height + 1) / 2),
                    extent: (Double(full.width) / 2, Double(full.height) / 2), averaged: 2, channelCount: 3,
                    matrix: .video, isOpaque: true, quality: options.quality, placement: placement)
                return try reader.forEachRowPair(check, resizer.append)
            }
            let isDirect = isWhole && scaled == storedResult && orientation == .up
            let rows = FrameRows(
                frame: frame, canvas: canvas,
                resizer: RowResizer(
                    source: isWhole ? scaled : canvas,
                    averaged: isWhole ? Double(full.width) / Double(scaled.width) : 1,
                    isOpaque: isWhole && !frame.has_alpha && !isPartial, quality: options.quality,
                    placement: placement),
                check: check)
            try rows.begin()
            let pixels = UnsafeMutablePointer<UInt8>.allocate(
                capacity: isDirect ? 1 : scaled.width * 4 * scaled.height)
            defer { pixels.deallocate() }
            var rowCount = 0
            let isThere = try isComplete {
                try reader.forEachRow(at: scaled, into: isDirect ? placement.base : pixels, check) { row, y in
                    if isDirect { placement.finishDirectRow(y) } else { rows.append(row) }
                    rowCount += 1
                }
            }
            guard isThere || isPartial && rowCount > 0 else { throw ImageError(.decoding, .incomplete(.webP)) }
            if !isDirect { try rows.finish() }
        }
        let still = DecodedImage(bitmap: bitmap, originalPixelSize: original, conversion: conversion)
        if isPartial { return still }
        try reader.finish()
        let structure = WebPStructure(ByteReader(bytes), canvas: canvas)
        guard info.frame_count > 1, structure.frames.count == Int(info.frame_count) else { return still }
        let animation = ComposedFrames.animation(
            of: WebPFrames(data: data, canvasSize: canvas, frames: structure.frames), data: data,
            loopCount: Int(info.loop_count), first: still, color: color, orientation: orientation, options: options)
        return animation.map { DecodedImage(still, animation: $0) } ?? still
    }

    /// The size to let the library scale to: what leaves enough for the resize, where that saves work; else all pixels.
    static func scaledSize(from full: PixelSize, to result: PixelSize) -> PixelSize {
        guard ratio(full, result) >= 2.5 else { return full }
        func side(_ result: Int, _ full: Int) -> Int { min(Int((Double(result) * 1.65).rounded(.up)), full) }
        return PixelSize(width: side(result.width, full.width), height: side(result.height, full.height))
    }

    /// Whether a lossy frame's luma, averaged two by two, leaves enough for the resize (as ``ResizeQuality`` says), and its
    /// planes take about as much memory as what the library would scale to.
    static func joinsChroma(from full: PixelSize, to result: PixelSize) -> Bool {
        (3.3..<4).contains(ratio(full, result))
    }

    private static func ratio(_ full: PixelSize, _ result: PixelSize) -> Double {
        min(Double(full.width) / Double(result.width), Double(full.height) / Double(result.height))
    }
}

/// The frames of an animated WebP.
private struct WebPFrames: FrameSource {
    let data: Data
    let canvasSize: PixelSize
    let frames: [WebPStructure.Frame]
    let controls: [FrameControl]

    var format: ImageFormat { .webP }
    /// A frame's pixels, and what the library takes.
    var drawingByteCount: Int { (controls.map(\.pixelCount).max() ?? 0) * (4 + 5) }

    init(data: Data, canvasSize: PixelSize, frames: [WebPStructure.Frame]) {
        self.data = data
        self.canvasSize = canvasSize
        self.frames = frames
        controls = frames.map(\.control)
    }

    func draw(_ index: Int, on canvas: FrameCanvas, check: DecodeGuard) throws {
        try data.withUnsafeBytes { bytes in
            let reader = try WebPReader(bytes)
            try reader.begin(frames[index])
            let control = controls[index]
            let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: control.pixelCount * 4)
            defer { pixels.deallocate() }
            let size = PixelSize(width: control.width, height: control.height)
            try reader.forEachRow(at: size, into: pixels, check) { row, y in canvas.draw(row, y: y, of: control) }
        }
    }
}
#endif

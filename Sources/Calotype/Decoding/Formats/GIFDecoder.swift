#if canImport(CCodecs)
import CCodecs
import Foundation

/// Decodes the first frame of a GIF through giflib, on its canvas: rows resized as they come, or, where they come
/// interlaced, once their indices are there. Further frames are decoded on demand.
///
/// The canvas is transparent where the frame doesn't cover it, as in browsers: the background's index isn't used. A file
/// without any colour table is ``ImageError/Reason/corrupt(_:detail:offset:)``, and one that ends within a block is
/// incomplete, even after the first frame. The trailer may be missing.
///
/// A value that borrows the bytes: used inside one `withUnsafeBytes` closure.
struct GIFDecoder {
    let data: Data
    let bytes: UnsafeRawBufferPointer
    let options: DecodeOptions
    let check: DecodeGuard
    /// The bytes are those that have arrived: rows that aren't there yet are transparent.
    var isPartial = false

    func decode() throws -> DecodedImage {
        let reader = try GIFReader(bytes)
        let canvas = reader.canvas
        try check.check(canvas)
        let frameLimit = isPartial ? 1 : check.limits.frameCount
        let structure = GIFStructure(ByteReader(bytes), frameLimit: max(frameLimit, 1))
        guard !structure.exceedsLimit || isPartial else {
            throw ImageError(.decoding, .limitExceeded(.gif, detail: "more than \(frameLimit) frames"))
        }
        guard let first = structure.frames.first else {
            throw ImageError(
                .decoding, structure.isCutOff ? .incomplete(.gif) : .corrupt(.gif, detail: "no frame", offset: nil))
        }
        let frame = try reader.begin(first)
        let result = options.target.pixelSize(for: canvas)
        let bitmap = try Bitmap(size: result) { buffer in
            let placement = RowPlacement(buffer, storedSize: result, orientation: .up)
            let isOpaque = !frame.has_alpha && frame.covers(canvas) && !isPartial
            let rows = FrameRows(
                frame: frame, canvas: canvas,
                resizer: RowResizer(source: canvas, isOpaque: isOpaque, placement: placement), check: check)
            try rows.begin()
            let isThere = try isComplete { try reader.forEachRow(check, rows.append) }
            guard isThere || isPartial && rows.frameRowCount > 0 else { throw ImageError(.decoding, .incomplete(.gif)) }
            try rows.finish()
        }
        let still = DecodedImage(bitmap: bitmap, originalPixelSize: canvas)
        if isPartial { return still }
        guard !structure.isCutOff else { throw ImageError(.decoding, .incomplete(.gif)) }
        let animation = ComposedFrames.animation(
            of: GIFFrames(data: data, canvasSize: canvas, frames: structure.frames), data: data,
            loopCount: structure.loopCount, first: still, color: SourceColor(), orientation: .up, options: options)
        return animation.map { DecodedImage(still, animation: $0) } ?? still
    }
}

/// The frames of a GIF.
private struct GIFFrames: FrameSource {
    let data: Data
    let canvasSize: PixelSize
    let frames: [GIFStructure.Frame]
    let controls: [FrameControl]

    var format: ImageFormat { .gif }
    /// An interlaced frame's indices, and rows.
    var drawingByteCount: Int { (controls.map(\.pixelCount).max() ?? 0) + canvasSize.width * 4 * 8 }

    init(data: Data, canvasSize: PixelSize, frames: [GIFStructure.Frame]) {
        self.data = data
        self.canvasSize = canvasSize
        self.frames = frames
        controls = frames.map(\.control)
    }

    /// A frame without any colour table draws nothing, as one beside the canvas does.
    func draw(_ index: Int, on canvas: FrameCanvas, check: DecodeGuard) throws {
        guard frames[index].hasColors else { return }
        try data.withUnsafeBytes { bytes in
            let reader = try GIFReader(bytes)
            _ = try reader.begin(frames[index])
            var y = 0
            try reader.forEachRow(check) { row in
                canvas.draw(row, y: y, of: controls[index])
                y += 1
            }
        }
    }
}
#endif

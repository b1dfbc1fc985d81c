#if canImport(CCodecs)
import Foundation

/// The frames of a file, and how to draw them: one for each format.
protocol FrameSource: Sendable {
    var format: ImageFormat { get }
    var canvasSize: PixelSize { get }
    var controls: [FrameControl] { get }
    /// What drawing the frame that takes most takes beside the canvas, in bytes.
    var drawingByteCount: Int { get }

    /// Draws a frame, which covers pixels, on the canvas, which has been prepared for it.
    func draw(_ index: Int, on canvas: FrameCanvas, check: DecodeGuard) throws
}

/// Composes a file's frames on a canvas, and makes an image of the canvas for each.
///
/// `@unchecked Sendable`: used by one thread at a time, as ``AnimationFrames`` says.
final class ComposedFrames: AnimationFrames, @unchecked Sendable {
    /// What an animation may take for its canvas and for drawing. What takes more is shown as a still image.
    static let byteLimit = 256 << 20

    private let source: any FrameSource
    private let options: DecodeOptions
    private let orientation: ImageOrientation
    private let conversion: ColorConversion?
    private var canvas: FrameCanvas?
    /// The frame that the canvas shows.
    private var position: Int?

    init(_ source: any FrameSource, color: SourceColor, orientation: ImageOrientation, options: DecodeOptions) {
        self.source = source
        self.orientation = orientation
        self.options = options
        conversion = ColorConversion(color, to: options.colorSpace, limits: options.limits)
    }

    func image(at index: Int, cancellation: DecodeCancellation) throws -> DecodedImage {
        var options = options
        options.cancellation = cancellation
        let check = DecodeGuard(format: source.format, options: options)
        let canvas = try compose(index, check)
        let original = orientation.applied(to: canvas.size)
        let result = options.target.pixelSize(for: original)
        let bitmap = try Bitmap(size: result) { buffer in
            let placement = RowPlacement(
                buffer, storedSize: orientation.applied(to: result), orientation: orientation, conversion: conversion)
            let resizer = RowResizer(
                source: canvas.size, isOpaque: false, quality: options.quality, placement: placement)
            for y in 0..<canvas.size.height {
                if y % 16 == 0 { try check.check() }
                resizer.append(canvas.row(y))
            }
        }
        return DecodedImage(bitmap: bitmap, originalPixelSize: original, conversion: conversion)
    }

    /// Draws what is missing up to the frame: from the one that is there, or from one that hides all before it.
    private func compose(_ index: Int, _ check: DecodeGuard) throws -> FrameCanvas {
        try check.check()
        guard let canvas = canvas ?? FrameCanvas(size: source.canvasSize) else {
            throw ImageError(.decoding, .limitExceeded(source.format, detail: "the system's memory"))
        }
        self.canvas = canvas
        if position == index { return canvas }
        let controls = source.controls
        var next = controls.start(for: index, on: canvas.size)
        if let position, position < index, position + 1 >= next {
            next = position + 1
        } else {
            canvas.clear()
        }
        // What throws leaves half a frame: the next call begins anew.
        position = nil
        while next <= index {
            try check.check()
            try canvas.begin(controls[next], format: source.format)
            if controls[next].pixelCount > 0 { try source.draw(next, on: canvas, check: check) }
            next += 1
        }
        position = index
        return canvas
    }

    /// The animation of a file whose first frame has been decoded.
    ///
    /// - Parameters:
    ///   - data: The file, which the source keeps.
    ///   - first: The first frame, without an animation.
    /// - Returns: `nil` if there is one frame, or if composing them takes more than ``byteLimit``.
    static func animation(
        of source: any FrameSource, data: Data, loopCount: Int, first: DecodedImage, color: SourceColor,
        orientation: ImageOrientation, options: DecodeOptions
    ) -> ImageAnimation? {
        let controls = source.controls
        guard controls.count > 1 else { return nil }
        let restored = controls.lazy.filter { $0.disposal == .restore }.map(\.pixelCount).max() ?? 0
        let byteCount = (source.canvasSize.pixelCount + restored) * 4 + source.drawingByteCount
        guard byteCount <= byteLimit else { return nil }
        var options = options
        options.cancellation = DecodeCancellation()
        return ImageAnimation(
            durations: controls.map(\.duration), loopCount: loopCount, first: first,
            sourceByteCount: data.count + byteCount
        ) { [options] in ComposedFrames(source, color: color, orientation: orientation, options: options) }
    }
}
#endif

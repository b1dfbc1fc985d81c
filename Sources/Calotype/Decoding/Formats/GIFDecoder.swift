#if canImport(CCodecs)
import CCodecs

/// Decodes the first frame of a GIF through giflib, on its canvas: rows resized as they come, or, where they come
/// interlaced, once their indices are there.
///
/// The canvas is transparent where the frame doesn't cover it, as in browsers: the background's index isn't used. A file
/// without any colour table is ``ImageError/Reason/corrupt(_:detail:offset:)``, and one that ends within a block is
/// incomplete, even after the first frame. The trailer may be missing.
///
/// A value that borrows the bytes: used inside one `withUnsafeBytes` closure.
struct GIFDecoder {
    let bytes: UnsafeRawBufferPointer
    let target: PixelTarget
    let quality: ResizeQuality
    let check: DecodeGuard

    func decode() throws -> DecodedImage {
        guard let gif = cc_gif_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) else {
            throw ImageError(CC_NO_MEMORY, format: .gif, message: "", offset: 0)
        }
        defer { cc_gif_close(gif) }
        func succeed(_ status: cc_status) throws {
            guard status != CC_OK else { return }
            throw ImageError(status, format: .gif, message: cc_gif_message(gif), offset: cc_gif_offset(gif))
        }

        var info = cc_gif_info()
        try succeed(cc_gif_read_header(gif, &info))
        let canvas = PixelSize(width: Int(info.width), height: Int(info.height))
        try check.check(canvas)
        var frame = cc_frame()
        try succeed(cc_gif_read_frame(gif, &frame))
        var isReady = false
        while !isReady {
            try check.check()
            try succeed(cc_gif_consume(gif, 16, &isReady))
        }

        let result = target.pixelSize(for: canvas)
        let bitmap = try Bitmap(size: result) { buffer in
            let placement = RowPlacement(buffer, storedSize: result, orientation: .up)
            let isOpaque = !frame.has_alpha && frame.covers(canvas)
            let rows = FrameRows(
                frame: frame, canvas: canvas,
                resizer: RowResizer(source: canvas, isOpaque: isOpaque, quality: quality, placement: placement),
                check: check)
            try rows.begin()
            let stride = Int(frame.width) * 4
            let batch = 8
            let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * batch)
            defer { pixels.deallocate() }
            var y = 0
            while y < Int(frame.height) {
                try check.check()
                var count: UInt32 = 0
                try succeed(cc_gif_read_rows(gif, pixels, stride, UInt32(batch), &count))
                for row in 0..<Int(count) { rows.append(pixels + row * stride) }
                y += Int(count)
            }
            try rows.finish()
        }
        guard !ImageHeader.isCutOff(bytes, format: .gif) else { throw ImageError(.decoding, .incomplete(.gif)) }
        return DecodedImage(bitmap: bitmap, originalPixelSize: canvas)
    }
}
#endif

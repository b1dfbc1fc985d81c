#if canImport(CCodecs)
import CCodecs

/// Decodes WebP through libwebp: scaled by the library to two or three times the target, whose rows are then resized
/// as they come.
///
/// The library's scaling averages boxes, and of lossy frames with alpha it averages the colours of transparent pixels in:
/// those are decoded at full size. Of an animated file the first frame is decoded, on its canvas, which is transparent
/// where the frame doesn't cover it. A file with fewer bytes than its header announces is
/// ``ImageError/Reason/incomplete(_:)``. Colour profiles are not applied.
///
/// A value that borrows the bytes: used inside one `withUnsafeBytes` closure.
struct WebPDecoder {
    /// What the library takes for a lossless frame is 4 bytes a pixel, and 2 for lossy ones with alpha: enough for 100 and
    /// 200 megapixels.
    static let pixelByteLimit = 384 << 20
    /// How many steps a decode is cut into, after each of which the cancellation is looked at. Each costs the library some
    /// work that it does again.
    static let stepCount = 64

    let bytes: UnsafeRawBufferPointer
    let header: ImageHeader
    let target: PixelTarget
    let quality: ResizeQuality
    let frameLimit: Int
    let check: DecodeGuard

    func decode() throws -> DecodedImage {
        guard let webP = cc_webp_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) else {
            throw ImageError(CC_NO_MEMORY, format: .webP, message: "", offset: 0)
        }
        defer { cc_webp_close(webP) }
        func succeed(_ status: cc_status) throws {
            guard status != CC_OK else { return }
            throw ImageError(status, format: .webP, message: cc_webp_message(webP), offset: cc_webp_offset(webP))
        }

        var info = cc_webp_info()
        try succeed(cc_webp_read_header(webP, Int32(clamping: frameLimit), &info))
        let canvas = PixelSize(width: Int(info.width), height: Int(info.height))
        try check.check(canvas)
        var frame = cc_frame()
        var isLossless = false
        try succeed(cc_webp_read_frame(webP, &frame, &isLossless))
        let original = header.orientation.applied(to: canvas)
        let result = target.pixelSize(for: original)
        let storedResult = header.orientation.applied(to: result)
        let isWhole = frame.covers(canvas)
        let mayScale = isWhole && (isLossless || !frame.has_alpha)
        let full = PixelSize(width: Int(frame.width), height: Int(frame.height))
        let scaled = mayScale ? Self.scaledSize(from: full, to: storedResult) : full

        let bitmap = try Bitmap(size: result) { buffer in
            let placement = RowPlacement(buffer, storedSize: storedResult, orientation: header.orientation)
            let isDirect = isWhole && scaled == storedResult && header.orientation == .up
            let rows = FrameRows(
                frame: frame, canvas: canvas,
                resizer: RowResizer(
                    source: isWhole ? scaled : canvas, isOpaque: isWhole && !frame.has_alpha,
                    quality: quality, placement: placement),
                check: check)
            try rows.begin()
            let stride = scaled.width * 4
            let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: isDirect ? 1 : stride * scaled.height)
            defer { pixels.deallocate() }
            let first = isDirect ? placement.base : pixels
            try succeed(
                cc_webp_start(webP, UInt32(scaled.width), UInt32(scaled.height), first, stride, Self.pixelByteLimit))
            var y = 0
            var isDone = false
            while !isDone {
                try check.check()
                var count: UInt32 = 0
                try succeed(cc_webp_decode(webP, max(bytes.count / Self.stepCount, 4096), &count, &isDone))
                while y < Int(count) {
                    if y % 16 == 0 { try check.check() }
                    let row = first + y * stride
                    if frame.has_alpha { ResizeKernels.premultiply(row, pixelCount: scaled.width) }
                    if !isDirect { rows.append(row) }
                    y += 1
                }
            }
            try rows.finish()
        }
        try succeed(cc_webp_finish(webP))
        return DecodedImage(bitmap: bitmap, originalPixelSize: original)
    }

    /// The size to let the library scale to: twice the result where that saves work, and three times where the boxes
    /// would be so large that twice shows; else all pixels.
    static func scaledSize(from full: PixelSize, to result: PixelSize) -> PixelSize {
        let ratio = min(Double(full.width) / Double(result.width), Double(full.height) / Double(result.height))
        guard ratio >= 2.5 else { return full }
        let gap = ratio < 6 ? 2 : 3
        return PixelSize(width: min(result.width * gap, full.width), height: min(result.height * gap, full.height))
    }
}
#endif

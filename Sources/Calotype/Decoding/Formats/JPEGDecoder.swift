#if canImport(CCodecs)
import CCodecs

/// Decodes JPEG through libjpeg-turbo: at the smallest of its fast scales that leaves a good resize enough to work on,
/// rows resized as they come.
///
/// Harmless warnings (bytes before a marker) are overlooked, as browsers do. Damaged entropy-coded data is refused,
/// and so is a file that ends before its pixels do. A baseline file in one scan that lacks nothing but its
/// end-of-image marker has all its pixels, and is decoded.
///
/// A value that borrows the bytes: used inside one `withUnsafeBytes` closure.
struct JPEGDecoder {
    /// The coefficients of a progressive file take 3 bytes a pixel at 4:2:0, 6 at 4:4:4: enough for 128 and 64
    /// megapixels.
    static let coefficientByteLimit = 384 << 20

    let bytes: UnsafeRawBufferPointer
    let header: ImageHeader
    let target: PixelTarget
    let quality: ResizeQuality
    let check: DecodeGuard

    func decode() throws -> DecodedImage {
        guard let jpeg = cc_jpeg_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) else {
            throw ImageError(CC_NO_MEMORY, format: .jpeg, message: "", offset: 0)
        }
        defer { cc_jpeg_close(jpeg) }
        func succeed(_ status: cc_status) throws {
            guard status != CC_OK else { return }
            throw ImageError(
                status, format: .jpeg, message: cc_jpeg_message(jpeg), offset: cc_jpeg_offset(jpeg))
        }

        var info = cc_jpeg_info()
        try succeed(cc_jpeg_read_header(jpeg, &info))
        let stored = PixelSize(width: Int(info.width), height: Int(info.height))
        try check.check(stored)
        let original = header.orientation.applied(to: stored)
        let result = target.pixelSize(for: original)
        let storedResult = header.orientation.applied(to: result)
        let denominator = Self.denominator(from: stored, to: storedResult)
        var width: UInt32 = 0
        var height: UInt32 = 0
        try succeed(
            cc_jpeg_start(jpeg, Int32(denominator), Self.coefficientByteLimit, &width, &height))
        var hasReadScans = false
        while !hasReadScans {
            try check.check()
            try succeed(cc_jpeg_consume(jpeg, 8, Int32(clamping: check.limits.scanCount), &hasReadScans))
        }

        let scaled = PixelSize(width: Int(width), height: Int(height))
        let bitmap = try Bitmap(size: result) { buffer in
            let placement = RowPlacement(buffer, storedSize: storedResult, orientation: header.orientation)
            let isDirect = scaled == storedResult && header.orientation == .up
            let resizer = RowResizer(
                source: scaled,
                extent: (Double(stored.width) / Double(denominator), Double(stored.height) / Double(denominator)),
                averaged: Double(denominator), isOpaque: true, quality: quality, placement: placement)
            let stride = scaled.width * 4
            let batch = 8
            let rows = UnsafeMutablePointer<UInt8>.allocate(capacity: isDirect ? 1 : stride * batch)
            defer { rows.deallocate() }
            var y = 0
            while y < scaled.height {
                try check.check()
                let wanted = min(batch, scaled.height - y)
                let destination = isDirect ? placement.base + y * stride : rows
                var count: UInt32 = 0
                try succeed(cc_jpeg_read_rows(jpeg, destination, stride, UInt32(wanted), &count))
                // The library suspends only where its source does, which ours doesn't.
                guard count > 0 else { throw ImageError(.decoding, .incomplete(.jpeg)) }
                if !isDirect {
                    for row in 0..<Int(count) { resizer.append(rows + row * stride) }
                }
                y += Int(count)
            }
        }
        return DecodedImage(bitmap: bitmap, originalPixelSize: original)
    }

    /// The scale to decode at. Only 1/2, 1/4 and 1/8 have vector code; 1/8 is a plain average of blocks, so that it
    /// needs more left over than the others for the same quality.
    static func denominator(from stored: PixelSize, to result: PixelSize) -> Int {
        let ratio = min(
            Double(stored.width) / Double(result.width), Double(stored.height) / Double(result.height))
        for (denominator, gap) in [(8, 3.0), (4, 1.5), (2, 1.5)] where ratio >= Double(denominator) * gap {
            return denominator
        }
        return 1
    }
}
#endif

#if canImport(CCodecs)
import CCodecs

/// Decodes PNG through libpng: rows resized as they come, or, where they come interlaced, from a bitmap of all of them.
///
/// Checksums count: a wrong one in a chunk that matters is ``ImageError/Reason/corrupt(_:detail:offset:)``, and a file
/// without its end chunk is incomplete. Colour profiles and gamma are not applied; an animated file is its default
/// image.
///
/// A value that borrows the bytes: used inside one `withUnsafeBytes` closure.
struct PNGDecoder {
    let bytes: UnsafeRawBufferPointer
    let header: ImageHeader
    let target: PixelTarget
    let quality: ResizeQuality
    let check: DecodeGuard

    func decode() throws -> DecodedImage {
        guard let png = cc_png_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) else {
            throw ImageError(CC_NO_MEMORY, format: .png, message: "", offset: 0)
        }
        defer { cc_png_close(png) }
        func succeed(_ status: cc_status) throws {
            guard status != CC_OK else { return }
            throw ImageError(status, format: .png, message: cc_png_message(png), offset: cc_png_offset(png))
        }

        var info = cc_png_info()
        try succeed(cc_png_read_header(png, &info))
        let stored = PixelSize(width: Int(info.width), height: Int(info.height))
        try check.check(stored)
        let original = header.orientation.applied(to: stored)
        let result = target.pixelSize(for: original)
        let storedResult = header.orientation.applied(to: result)
        let isOpaque = !info.has_alpha
        let stride = stored.width * 4

        /// Reads rows into `rows`, batch by batch.
        func read(_ rows: UnsafeMutablePointer<UInt8>, count: Int) throws {
            var y = 0
            while y < count {
                try check.check()
                let batch = min(8, count - y)
                try succeed(cc_png_read_rows(png, rows + y * stride, stride, UInt32(batch)))
                y += batch
            }
        }

        let bitmap = try Bitmap(size: result) { buffer in
            let placement = RowPlacement(buffer, storedSize: storedResult, orientation: header.orientation)
            let resizer = RowResizer(
                source: stored, isOpaque: isOpaque, quality: quality, placement: placement)
            let isInterlaced = info.pass_count > 1
            let capacity = isInterlaced ? stride * stored.height : stride * 8
            // An interlaced file fills all rows in seven passes.
            let rows = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            defer { rows.deallocate() }
            if isInterlaced {
                for _ in 0..<info.pass_count { try read(rows, count: stored.height) }
            }
            var y = 0
            while y < stored.height {
                let batch = min(8, stored.height - y)
                let first = isInterlaced ? rows + y * stride : rows
                if isInterlaced { try check.check() } else { try read(rows, count: batch) }
                for index in 0..<batch {
                    let row = first + index * stride
                    if !isOpaque { ResizeKernels.premultiply(row, pixelCount: stored.width) }
                    resizer.append(row)
                }
                y += batch
            }
        }
        try succeed(cc_png_finish(png))
        return DecodedImage(bitmap: bitmap, originalPixelSize: original)
    }
}
#endif

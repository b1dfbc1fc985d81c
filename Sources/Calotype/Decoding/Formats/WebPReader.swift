#if canImport(CCodecs)
import CCodecs

/// libwebp's decode of one frame of a file.
///
/// - Isolation: Used by one thread, inside the `withUnsafeBytes` closure that the bytes belong to.
final class WebPReader {
    /// What the library takes for a lossless frame is 4 bytes a pixel, and up to 5 for lossy ones with alpha: enough for
    /// more than 100 megapixels.
    static let pixelByteLimit = 512 << 20
    /// How many steps a decode is cut into, after each of which the cancellation is looked at. Each costs the library some
    /// work that it does again.
    private static let stepCount = 64

    private let webP: OpaquePointer
    private var byteCount = 0
    private(set) var frame = cc_frame()

    init(_ bytes: UnsafeRawBufferPointer) throws {
        guard let webP = cc_webp_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) else {
            throw ImageError(CC_NO_MEMORY, format: .webP, message: "", offset: 0)
        }
        self.webP = webP
        byteCount = bytes.count
    }

    deinit { cc_webp_close(webP) }

    private func succeed(_ status: cc_status) throws {
        guard status != CC_OK else { return }
        throw ImageError(status, format: .webP, message: cc_webp_message(webP), offset: cc_webp_offset(webP))
    }

    /// Reads the file's structure.
    func readHeader(frameLimit: Int) throws -> cc_webp_info {
        var info = cc_webp_info()
        try succeed(cc_webp_read_header(webP, Int32(clamping: frameLimit), &info))
        return info
    }

    /// Begins the first frame; tells whether it is lossless.
    func beginFirst() throws -> Bool {
        var isLossless = false
        try succeed(cc_webp_read_frame(webP, &frame, &isLossless))
        return isLossless
    }

    /// Begins a frame whose place is known. Instead of ``readHeader(frameLimit:)``.
    func begin(_ frame: WebPStructure.Frame) throws {
        byteCount = frame.length
        self.frame = cc_frame(frame.control, hasAlpha: true)
        try succeed(cc_webp_begin_frame(webP, frame.offset, frame.length, &self.frame))
    }

    /// Decodes the frame at that size into `pixels`, and gives each row there, premultiplied in place.
    func forEachRow(
        at size: PixelSize, into pixels: UnsafeMutablePointer<UInt8>, _ check: DecodeGuard,
        _ body: (UnsafeMutablePointer<UInt8>, _ y: Int) -> Void
    ) throws {
        let stride = size.width * 4
        try succeed(
            cc_webp_start(webP, UInt32(size.width), UInt32(size.height), pixels, stride, Self.pixelByteLimit))
        var y = 0
        try decode(check) { count in
            while y < count {
                if y % 16 == 0 { try check.check() }
                let row = pixels + y * stride
                if frame.has_alpha { ResizeKernels.premultiply(row, pixelCount: size.width) }
                body(row, y)
                y += 1
            }
        }
    }

    /// Decodes a lossy frame without alpha as it is kept, in luma and chroma, and gives each two rows of luma with the row of
    /// chroma between them. Where the sides are odd, the last column and row of luma are there twice.
    func forEachRowPair(_ check: DecodeGuard, _ body: (LumaChromaRows) -> Void) throws {
        let (width, height) = (Int(frame.width), Int(frame.height))
        let joined = PixelSize(width: (width + 1) / 2, height: (height + 1) / 2)
        let lumaStride = joined.width * 2
        let luma = UnsafeMutablePointer<UInt8>.allocate(capacity: lumaStride * height + joined.pixelCount * 2)
        defer { luma.deallocate() }
        let blue = luma + lumaStride * height
        let red = blue + joined.pixelCount
        try succeed(cc_webp_start_planes(webP, luma, lumaStride, blue, red, joined.width))
        var y = 0
        try decode(check) { count in
            while y < joined.height, min(y * 2 + 2, height) <= count {
                if y % 8 == 0 { try check.check() }
                let upper = luma + y * 2 * lumaStride
                let lower = y * 2 + 1 < height ? upper + lumaStride : upper
                if width % 2 == 1 {
                    upper[width] = upper[width - 1]
                    lower[width] = lower[width - 1]
                }
                body(
                    LumaChromaRows(
                        upper: upper, lower: lower, blue: blue + y * joined.width, red: red + y * joined.width))
                y += 1
            }
        }
    }

    /// Decodes step by step.
    ///
    /// - Parameter body: Told, after each step, how many rows are there.
    private func decode(_ check: DecodeGuard, _ body: (Int) throws -> Void) throws {
        var isDone = false
        while !isDone {
            try check.check()
            var count: UInt32 = 0
            let status = cc_webp_decode(webP, max(byteCount / Self.stepCount, 4096), &count, &isDone)
            try body(Int(count))
            try succeed(status)
        }
    }

    /// - Throws: If the file lacks something after the frame.
    func finish() throws {
        try succeed(cc_webp_finish(webP))
    }
}
#endif

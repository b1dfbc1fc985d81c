#if canImport(CCodecs)
import CCodecs

/// giflib's decode of one frame of a file.
///
/// - Isolation: Used by one thread, inside the `withUnsafeBytes` closure that the bytes belong to.
final class GIFReader {
    let canvas: PixelSize
    private let gif: OpaquePointer
    private var frame = cc_frame()

    init(_ bytes: UnsafeRawBufferPointer) throws {
        guard let gif = cc_gif_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) else {
            throw ImageError(CC_NO_MEMORY, format: .gif, message: "", offset: 0)
        }
        var info = cc_gif_info()
        let status = cc_gif_read_header(gif, &info)
        guard status == CC_OK else {
            defer { cc_gif_close(gif) }
            throw ImageError(status, format: .gif, message: cc_gif_message(gif), offset: cc_gif_offset(gif))
        }
        self.gif = gif
        canvas = PixelSize(width: Int(info.width), height: Int(info.height))
    }

    deinit { cc_gif_close(gif) }

    private func succeed(_ status: cc_status) throws {
        guard status != CC_OK else { return }
        throw ImageError(status, format: .gif, message: cc_gif_message(gif), offset: cc_gif_offset(gif))
    }

    /// Reads the frame's descriptor. Once for each reader.
    func begin(_ frame: GIFStructure.Frame) throws -> cc_frame {
        try succeed(
            cc_gif_read_frame(gif, frame.offset, Int32(clamping: frame.transparentIndex ?? -1), &self.frame))
        return self.frame
    }

    /// Gives each row of the frame, premultiplied.
    func forEachRow(_ check: DecodeGuard, _ body: (UnsafePointer<UInt8>) -> Void) throws {
        var isReady = false
        while !isReady {
            try check.check()
            try succeed(cc_gif_consume(gif, 16, &isReady))
        }
        let stride = Int(frame.width) * 4
        let batch = 8
        let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * batch)
        defer { pixels.deallocate() }
        var y = 0
        while y < Int(frame.height) {
            try check.check()
            var count: UInt32 = 0
            let status = cc_gif_read_rows(gif, pixels, stride, UInt32(batch), &count)
            for row in 0..<Int(count) { body(pixels + row * stride) }
            y += Int(count)
            try succeed(status)
        }
    }
}
#endif

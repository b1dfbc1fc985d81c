#if canImport(CCodecs)
import CCodecs
import Foundation

/// libpng's decode of a file, or of one frame of an animated one.
///
/// - Isolation: Used by one thread, inside the `withUnsafeBytes` closure that the bytes belong to.
/// - Memory: Rows, up to 8 and 64 KiB; all of them where they come interlaced.
final class PNGReader {
    let size: PixelSize
    let info: cc_png_info
    private let png: OpaquePointer

    /// Reads up to the pixels.
    ///
    /// - Parameters:
    ///   - frame: A frame whose pixels come from chunks of its own; else the still image is read.
    ///   - alwaysAlpha: Rows are RGBA; else those of images without transparency are RGB.
    convenience init(
        _ bytes: UnsafeRawBufferPointer, frame: APNGStructure.Frame?, heads: APNGStructure.Heads?, alwaysAlpha: Bool
    ) throws {
        let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        if let frame, let heads, let offset = frame.dataOffset {
            try Self.checkSums(bytes, from: offset)
            let head = heads.head(of: frame.control)
            try self.init(
                cc_png_open_frame(base, bytes.count, head, head.count, offset), alwaysAlpha: alwaysAlpha)
        } else {
            try self.init(cc_png_open(base, bytes.count), alwaysAlpha: alwaysAlpha)
        }
    }

    private init(_ opened: OpaquePointer?, alwaysAlpha: Bool) throws {
        guard let png = opened else { throw ImageError(CC_NO_MEMORY, format: .png, message: "", offset: 0) }
        var info = cc_png_info()
        let status = cc_png_read_header(png, alwaysAlpha, &info)
        guard status == CC_OK else {
            defer { cc_png_close(png) }
            throw ImageError(status, format: .png, message: cc_png_message(png), offset: cc_png_offset(png))
        }
        self.png = png
        self.info = info
        size = PixelSize(width: Int(info.width), height: Int(info.height))
    }

    deinit { cc_png_close(png) }

    private func succeed(_ status: cc_status) throws {
        guard status != CC_OK else { return }
        throw ImageError(status, format: .png, message: cc_png_message(png), offset: cc_png_offset(png))
    }

    /// The library sees the frame's chunks under another name, and can't check them.
    private static func checkSums(_ bytes: UnsafeRawBufferPointer, from offset: Int) throws {
        for chunk in PNGChunks(ByteReader(bytes), from: offset) {
            if chunk.is("fcTL") || chunk.is("IEND") { break }
            guard !chunk.is("fdAT") || chunk.isSound else {
                throw ImageError(.decoding, .corrupt(.png, detail: "fdAT: CRC error", offset: chunk.start))
            }
        }
    }

    private var stride: Int { size.width * Int(info.channel_count) }

    /// Gives each row from the top, premultiplied.
    ///
    /// - Parameter isPartial: Where the bytes end early, the rows so far are given: of interlaced ones all, coarse where
    ///   passes are missing, and transparent where all are.
    func forEachRow(
        _ check: DecodeGuard, isPartial: Bool = false, _ body: (UnsafePointer<UInt8>) -> Void
    ) throws {
        let isInterlaced = info.pass_count > 1
        let stride = stride
        let batchLimit = min(max((64 << 10) / stride, 1), 8)
        guard let memory = calloc(isInterlaced ? size.height : batchLimit, stride) else {
            throw ImageError(CC_NO_MEMORY, format: .png, message: "", offset: 0)
        }
        defer { free(memory) }
        let rows = memory.assumingMemoryBound(to: UInt8.self)
        if isInterlaced {
            var batchCount = 0
            let isThere = try isComplete {
                for _ in 0..<info.pass_count {
                    try readPass(rows, check, asBlocks: isPartial) { batchCount += 1 }
                }
            }
            guard isThere || isPartial && batchCount > 0 else { throw ImageError(.decoding, .incomplete(.png)) }
        }
        var y = 0
        while y < size.height {
            let batch = min(batchLimit, size.height - y)
            let first = isInterlaced ? rows + y * stride : rows
            try check.check()
            if !isInterlaced { try succeed(cc_png_read_rows(png, rows, stride, UInt32(batch), false)) }
            for index in 0..<batch {
                let row = first + index * stride
                if info.has_alpha { ResizeKernels.premultiply(row, pixelCount: size.width) }
                body(row)
            }
            y += batch
        }
    }

    private func readPass(
        _ rows: UnsafeMutablePointer<UInt8>, _ check: DecodeGuard, asBlocks: Bool, afterBatch: () -> Void
    ) throws {
        let stride = stride
        var y = 0
        while y < size.height {
            try check.check()
            let batch = min(8, size.height - y)
            try succeed(cc_png_read_rows(png, rows + y * stride, stride, UInt32(batch), asBlocks))
            afterBatch()
            y += batch
        }
    }

    /// Reads to the end of the file, or of the frame, which checks what follows the last row.
    func finish() throws {
        try succeed(cc_png_finish(png))
    }
}
#endif

#if canImport(CCodecs)
import CCodecs
import Foundation

/// A JPEG that libjpeg-turbo reads, whole or still arriving; its answers as errors.
///
/// - Isolation: Used by one thread at a time.
final class JPEGReader {
    /// The coefficients of a progressive file take 3 bytes a pixel at 4:2:0, 6 at 4:4:4: enough for 128 and 64
    /// megapixels.
    static let coefficientByteLimit = 384 << 20

    private let jpeg: OpaquePointer

    /// Reads a whole file.
    ///
    /// - Parameter bytes: Must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer) throws {
        jpeg = try Self.opened(cc_jpeg_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
    }

    /// Reads bytes that ``append(_:)`` brings.
    init() throws {
        jpeg = try Self.opened(cc_jpeg_open_growing())
    }

    private static func opened(_ jpeg: OpaquePointer?) throws -> OpaquePointer {
        guard let jpeg else { throw ImageError(CC_NO_MEMORY, format: .jpeg, message: "", offset: 0) }
        return jpeg
    }

    deinit { cc_jpeg_close(jpeg) }

    /// - Returns: `false` if more bytes have to arrive.
    private func succeeds(_ status: cc_status) throws -> Bool {
        switch status {
        case CC_OK: return true
        case CC_WAITING: return false
        // "12-bit JPEG": named as a format of its own, since the file is sound, and loading it again wouldn't help.
        case CC_UNSUPPORTED:
            let kind = String(cString: cc_jpeg_message(jpeg))
            throw ImageError(.decoding, .unsupportedFormat(ImageFormat("\(kind) \(ImageFormat.jpeg)")))
        default:
            throw ImageError(status, format: .jpeg, message: cc_jpeg_message(jpeg), offset: cc_jpeg_offset(jpeg))
        }
    }

    /// Copies the next bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        _ = try succeeds(
            cc_jpeg_append(jpeg, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
    }

    /// Reads up to the first scan; `nil` if more bytes have to arrive.
    func header() throws -> cc_jpeg_info? {
        var info = cc_jpeg_info()
        return try succeeds(cc_jpeg_read_header(jpeg, &info)) ? info : nil
    }

    /// Leaves out these scans.
    func skip(_ ranges: [Range<Int>]) throws {
        let ranges = ranges.map { cc_range(start: $0.lowerBound, end: $0.upperBound) }
        _ = try succeeds(cc_jpeg_skip(jpeg, ranges, ranges.count))
    }

    /// Prepares to decode at a plan's scale.
    ///
    /// - Returns: The size of the rows, and how many channels they have: 4, or 3 for RGB.
    func start(_ plan: JPEGPlan, model: cc_jpeg_model) throws -> (size: PixelSize, channelCount: Int) {
        var (width, height): (UInt32, UInt32) = (0, 0)
        // Rows that go to their place as they are have to be RGBA.
        let hasAlpha = plan.isDirect
        _ = try succeeds(
            cc_jpeg_start(jpeg, Int32(plan.denominator), hasAlpha, Self.coefficientByteLimit, &width, &height))
        return (
            PixelSize(width: Int(width), height: Int(height)), hasAlpha || model == CC_JPEG_INKS ? 4 : 3
        )
    }

    /// Reads the scans, as far as they have arrived; does nothing for a file in one scan.
    ///
    /// - Returns: Whether all have been read, and whether there is more to show.
    @discardableResult
    func consume(_ check: DecodeGuard) throws -> cc_jpeg_progress {
        var progress = cc_jpeg_progress()
        var goesOn = true
        while goesOn, !progress.is_done {
            try check.check()
            goesOn = try succeeds(
                cc_jpeg_consume(jpeg, 2, Int32(clamping: check.limits.scanCount), &progress))
        }
        return progress
    }

    /// Begins a pass over what has arrived of a file with several scans, once there is more to show.
    func startPass() throws {
        _ = try succeeds(cc_jpeg_start_pass(jpeg))
    }

    /// Ends a pass whose rows have all been read.
    func finishPass() throws {
        _ = try succeeds(cc_jpeg_finish_pass(jpeg))
    }

    /// Decodes rows, each `stride` bytes after the one before.
    ///
    /// - Returns: How many, which may be none while the library catches up with what was read before; `nil` where more bytes
    ///   have to arrive.
    func readRows(_ rows: UnsafeMutablePointer<UInt8>, stride: Int, capacity: Int) throws -> Int? {
        var count: UInt32 = 0
        let goesOn = try succeeds(cc_jpeg_read_rows(jpeg, rows, stride, UInt32(capacity), &count))
        return goesOn || count > 0 ? Int(count) : nil
    }
}
#endif

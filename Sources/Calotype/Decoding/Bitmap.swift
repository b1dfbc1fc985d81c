import Foundation

/// Pixels in memory: RGBA, 8 bits a channel, premultiplied alpha, rows from the top, `width * 4` bytes a row.
///
/// A value that shares its buffer when copied. Nothing writes to the buffer once the bitmap has been made.
public struct Bitmap: Sendable {
    /// The size in pixels; both sides are at least 1.
    public let size: PixelSize
    private let storage: PixelStorage

    /// The bytes from one row to the next.
    public var bytesPerRow: Int { size.width * 4 }
    /// The bytes of all rows.
    public var byteCount: Int { bytesPerRow * size.height }

    /// Makes a bitmap whose pixels `fill` writes.
    ///
    /// - Parameters:
    ///   - size: Both sides at least 1; their product times 4 within `Int`.
    ///   - fill: Gets the buffer, row after row from the top. It starts as transparent black.
    public init<Failure: Error>(
        size: PixelSize, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(size.width > 0 && size.height > 0, "A bitmap has at least one pixel; got \(size).")
        let storage = PixelStorage(byteCount: size.width * 4 * size.height)
        try fill(storage.bytes)
        self.size = size
        self.storage = storage
    }

    /// The pixels, in the layout described above. The pointer is valid inside `body` alone.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage.bytes))
    }

    /// The red, green, blue and alpha of the pixel at column `x` and row `y`, premultiplied.
    public subscript(x: Int, y: Int) -> (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
        precondition(x >= 0 && y >= 0 && x < size.width && y < size.height, "(\(x), \(y)) lies outside \(size).")
        let offset = (y * size.width + x) * 4
        let bytes = storage.bytes
        return (bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3])
    }
}

extension Bitmap: CustomStringConvertible, CustomReflectable {
    /// "264 x 176 pixels, 185856 bytes".
    public var description: String { "\(size) pixels, \(byteCount) bytes" }

    /// Nothing but the description: a dump would go through every byte.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

/// The buffer of a bitmap.
///
/// `@unchecked Sendable`: `bytes` is written only inside `Bitmap.init`, before the value is shared; from then on every
/// thread reads.
private final class PixelStorage: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    /// Zeroed pages come from the system as they are touched, so an early failure costs little.
    init(byteCount: Int) {
        guard let memory = calloc(byteCount, 1) else { fatalError("Out of memory: \(byteCount) bytes for a bitmap.") }
        bytes = UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
    }

    deinit { free(bytes.baseAddress) }
}

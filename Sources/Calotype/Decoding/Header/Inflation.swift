#if os(Linux)
import CZlib
#else
import zlib
#endif

/// Unpacks zlib's streams, which may be bombs.
///
/// - Source: RFC 1950.
enum Inflation {
    /// Unpacks at most `limit` bytes.
    ///
    /// - Parameter isPrefixEnough: Whether the first `limit` bytes of a longer stream, or what comes before damage, are as good
    ///   as all of it. If not, such a stream gives `nil`.
    /// - Memory: Grows with what is there, never with what is claimed: twice the result at the most.
    static func unpack(_ packed: UnsafeRawBufferPointer, limit: Int, isPrefixEnough: Bool = false) -> [UInt8]? {
        guard let base = packed.baseAddress, limit > 0, packed.count <= Int(UInt32.max) else { return nil }
        var stream = z_stream()
        guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        // The stream's type isn't const, but the library only reads there.
        stream.next_in = UnsafeMutablePointer(mutating: base.assumingMemoryBound(to: Bytef.self))
        stream.avail_in = UInt32(packed.count)
        var result: [UInt8] = []
        var status = Z_OK
        while status == Z_OK, result.count < limit {
            let room = min(max(result.count, 4096), limit - result.count)
            let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(room)
                status = inflate(&stream, Z_NO_FLUSH)
                count = room - Int(stream.avail_out)
            }
            result += piece
            if piece.isEmpty { break }
        }
        // At the limit the stream may just have ended: one more step tells.
        if status == Z_OK, result.count == limit {
            var beyond: UInt8 = 0
            status = withUnsafeMutablePointer(to: &beyond) { byte in
                stream.next_out = byte
                stream.avail_out = 1
                return inflate(&stream, Z_NO_FLUSH)
            }
            if stream.avail_out == 0 { status = Z_BUF_ERROR }
        }
        return status == Z_STREAM_END || isPrefixEnough ? result : nil
    }
}

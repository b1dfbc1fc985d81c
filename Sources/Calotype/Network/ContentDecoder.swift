#if os(Linux)
import CZlib
import Foundation

/// Takes a content coding off a body: bytes are put in as they come, and pieces of what they stand for are taken out.
///
/// - Isolation: one thread at a time; not `Sendable`, so the compiler sees to it.
/// - Owns: zlib's state and a piece's room, until it goes.
/// - Memory: A piece, and what has been put in and isn't needed yet. A bomb grows as it is taken out, no faster.
/// - Source: RFC 9110 section 8.4.1, RFC 1952, RFC 1950.
final class ContentDecoder {
    enum Coding {
        case gzip, deflate

        /// - Returns: `nil` for a coding that isn't known here, and for several of them.
        init?(field: String) {
            switch field.lowercased() {
            case "gzip", "x-gzip": self = .gzip
            case "deflate": self = .deflate
            default: return nil
            }
        }
    }

    /// The most bytes that a piece has.
    static let pieceByteCount = 64 * 1024

    private enum Progress {
        case notBegun, begun, ended
    }

    private let coding: Coding
    /// In memory of its own, as zlib's state refers back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let room: UnsafeMutablePointer<UInt8>
    private var progress = Progress.notBegun
    /// What has been put in last, and how much of it zlib has taken.
    private var input = Data()
    private var used = 0
    /// Whether zlib may have more to give without taking anything: the last piece has filled the room.
    private var holdsMore = false
    private var receivedByteCount: Int64 = 0

    init(_ coding: Coding) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        room = .allocate(capacity: Self.pieceByteCount)
    }

    deinit {
        // It does nothing to a stream that has not begun.
        inflateEnd(stream)
        stream.deallocate()
        room.deallocate()
    }

    /// Puts in the next bytes. Those before must have been used up: see ``next()``.
    func put(_ bytes: Data) {
        receivedByteCount += Int64(bytes.count)
        if used == input.count { input = bytes } else { input = input.dropFirst(used) + bytes }
        used = 0
    }

    /// The next piece, never empty; `nil` if more bytes are to be put in first.
    ///
    /// - Throws: ``HTTPTransportError``: `malformedResponse` where the bytes break the coding's rules.
    func next() throws(HTTPTransportError) -> Data? {
        while used < input.count || holdsMore {
            guard try begin() else { return nil }
            let (status, count) = inflateRoom()
            switch status {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: progress = .ended
            case Z_MEM_ERROR: throw HTTPTransportError(.other, detail: "No memory for a content coding.")
            default: throw damage
            }
            holdsMore = progress == .begun && count == Self.pieceByteCount
            if count > 0 { return Data(bytes: room, count: count) }
        }
        return nil
    }

    /// Checks that what has been put in is complete. No bytes at all are: a response without a body has a coding as well.
    ///
    /// - Throws: ``HTTPTransportError``: `truncated`.
    func checkEnd() throws(HTTPTransportError) {
        guard progress != .ended, receivedByteCount > 0 else { return }
        throw HTTPTransportError(.truncated(received: receivedByteCount, expected: nil), detail: "A coding has no end.")
    }

    private var damage: HTTPTransportError {
        HTTPTransportError(.malformedResponse, detail: "The content coding is damaged: \(coding).")
    }

    /// - Returns: `false` if the first bytes don't say yet what they are.
    private func begin() throws(HTTPTransportError) -> Bool {
        switch (progress, coding) {
        case (.begun, _):
            return true
        case (.ended, .gzip):
            // A file of gzip may have several members (RFC 1952 section 2.2).
            inflateReset(stream)
        case (.ended, .deflate):
            throw damage
        case (.notBegun, _):
            var windowBits: Int32 = 31
            if coding == .deflate {
                guard input.count > 1 else { return false }
                // It means zlib's format, but some servers leave out what that puts around the data.
                let (first, second) = (input[input.startIndex], input[input.startIndex + 1])
                windowBits = first & 0x0F == 8 && (Int(first) << 8 | Int(second)) % 31 == 0 ? 15 : -15
            }
            guard
                inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
            else { throw HTTPTransportError(.other, detail: "No memory for a content coding.") }
        }
        progress = .begun
        return true
    }

    /// Fills the room from what is there.
    private func inflateRoom() -> (status: Int32, count: Int) {
        input.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            let count = min(rest.count, Int(UInt32.max))
            // The stream's type isn't const, but the library only reads there. It keeps neither address.
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: rest.baseAddress?.assumingMemoryBound(to: Bytef.self))
            stream.pointee.avail_in = UInt32(count)
            stream.pointee.next_out = room
            stream.pointee.avail_out = UInt32(Self.pieceByteCount)
            let status = inflate(stream, Z_NO_FLUSH)
            used += count - Int(stream.pointee.avail_in)
            return (status, Self.pieceByteCount - Int(stream.pointee.avail_out))
        }
    }
}
#endif

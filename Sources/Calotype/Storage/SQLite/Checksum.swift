import Foundation

#if os(Linux)
import CZlib
#else
import zlib
#endif

/// A CRC-32 over bytes that come in pieces.
///
/// - Source: ISO 3309, as zlib computes it.
struct Checksum {
    private(set) var value: UInt32 = 0

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        // At no address, zlib would begin anew.
        guard let address = bytes.baseAddress, !bytes.isEmpty else { return }
        value = UInt32(
            truncatingIfNeeded: crc32_z(
                UInt(value), address.assumingMemoryBound(to: Bytef.self), z_size_t(bytes.count)))
    }

    mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { append($0) }
    }

    /// The checksum of bytes at hand.
    init(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { append($0) }
    }

    init() {}

    /// The checksum of a row: of everything in it that answers depend on.
    static func row(
        key: UnsafeRawBufferPointer, metadata: UnsafeRawBufferPointer, bodyByteCount: Int64, bodyChecksum: Int64
    ) -> Int64 {
        var checksum = Checksum()
        checksum.append(key)
        checksum.append(bodyByteCount)
        checksum.append(bodyChecksum)
        checksum.append(metadata)
        return Int64(checksum.value)
    }
}

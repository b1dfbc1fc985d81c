/// Bounded reads from bytes that may say anything: past the end there is `nil`, never a trap.
///
/// A value that borrows its bytes: it must not outlive the closure that the buffer belongs to.
struct ByteReader {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    /// The byte at `offset`.
    func byte(_ offset: Int) -> Int? {
        guard offset >= 0, offset < bytes.count else { return nil }
        return Int(bytes[offset])
    }

    /// An unsigned number of `size` bytes (at most 4), the most significant first; at most `Int.max`, which matters
    /// where `Int` has 32 bits.
    func big(_ offset: Int, size: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        var value: UInt32 = 0
        for index in offset..<offset + size { value = value << 8 | UInt32(bytes[index]) }
        return Int(clamping: value)
    }

    /// An unsigned number of `size` bytes (at most 4), the least significant first; at most `Int.max`.
    func little(_ offset: Int, size: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        var value: UInt32 = 0
        for index in (offset..<offset + size).reversed() { value = value << 8 | UInt32(bytes[index]) }
        return Int(clamping: value)
    }

    /// Whether these bytes stand at `offset`.
    func has(_ expected: StaticString, at offset: Int) -> Bool {
        let length = expected.utf8CodeUnitCount
        guard offset >= 0, offset <= bytes.count - length else { return false }
        for index in 0..<length where bytes[offset + index] != expected.utf8Start[index] { return false }
        return true
    }

    /// The bytes from `offset`, at most `length` of them, as a reader of their own.
    func slice(_ offset: Int, length: Int) -> ByteReader {
        let start = min(max(offset, 0), bytes.count)
        let end = start + min(max(length, 0), bytes.count - start)
        return ByteReader(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }
}

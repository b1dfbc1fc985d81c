/// A 128-bit keyed hash that stands for a longer value wherever keys are compared.
///
/// The key is drawn at random when the process starts, so nobody outside can craft two names with one digest. For the
/// same reason a digest means nothing to another process: it is never written to disk, sent or logged. Whoever has to
/// keep digests has a key of its own (``DigestKey``) and keeps that beside them.
///
/// - Source: SipHash with 1 compression and 3 finalization rounds (Aumasson and Bernstein, 2012), 128-bit output.
package struct Digest: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The digest of the bytes of a string in UTF-8.
    package init(_ string: String) {
        var hash = DigestBuilder()
        hash.append(string)
        self = hash.finish()
    }

    /// The digest of a run of bytes.
    package init(bytes: UnsafeRawBufferPointer) {
        var hash = DigestBuilder()
        hash.append(bytes)
        self = hash.finish()
    }

    /// A digest of the pair. The order matters, and combining with one digest twice doesn't undo it.
    package func combined(with other: Digest) -> Digest {
        Digest(
            high: high &* 0x9e37_79b9_7f4a_7c15 ^ (other.high &<< 23 | other.high &>> 41),
            low: low &* 0xc2b2_ae3d_27d4_eb4f ^ (other.low &<< 41 | other.low &>> 23))
    }

    /// The bits are random already, by a key of the process's own: one half is hash enough.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(low)
    }

    /// What a dictionary asks for, if its key has it: spares the hasher, 170 instructions each time. Should the standard
    /// library ask no more, the hasher is what is left.
    package func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: low) ^ seed }
}

/// What digests depend on besides the bytes. Digests by different keys have nothing to do with each other.
package struct DigestKey: Hashable, Sendable {
    package let first: UInt64
    package let second: UInt64

    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// One that nobody can guess.
    package static func random() -> DigestKey {
        DigestKey(.random(in: .min ... .max), .random(in: .min ... .max))
    }
}

/// Takes bytes in pieces and ends in a ``Digest``.
package struct DigestBuilder {
    private var v0, v1, v2, v3: UInt64
    private var tail: UInt64 = 0
    private var byteCount = 0

    private static let processKey = DigestKey.random()

    /// Begins a digest that means something in this process alone.
    package init() {
        self.init(by: Self.processKey)
    }

    /// Begins a digest by a key of the caller's.
    package init(by key: DigestKey) {
        let (k0, k1) = (key.first, key.second)
        v0 = k0 ^ 0x736f_6d65_7073_6575
        v1 = k1 ^ 0x646f_7261_6e64_6f6d ^ 0xee
        v2 = k0 ^ 0x6c79_6765_6e65_7261
        v3 = k1 ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    private mutating func round() {
        v0 &+= v1
        v1 = (v1 &<< 13 | v1 &>> 51) ^ v0
        v0 = v0 &<< 32 | v0 &>> 32
        v2 &+= v3
        v3 = (v3 &<< 16 | v3 &>> 48) ^ v2
        v0 &+= v3
        v3 = (v3 &<< 21 | v3 &>> 43) ^ v0
        v2 &+= v1
        v1 = (v1 &<< 17 | v1 &>> 47) ^ v2
        v2 = v2 &<< 32 | v2 &>> 32
    }

    @inline(__always)
    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    package mutating func append(_ byte: UInt8) {
        tail |= UInt64(byte) &<< (8 &* UInt64(byteCount & 7))
        byteCount &+= 1
        if byteCount & 7 == 0 {
            compress(tail)
            tail = 0
        }
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while byteCount & 7 != 0, index < bytes.count {
            append(bytes[index])
            index &+= 1
        }
        while bytes.count &- index >= 8 {
            compress(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            index &+= 8
            byteCount &+= 8
        }
        while index < bytes.count {
            append(bytes[index])
            index &+= 1
        }
    }

    /// Appends the string's UTF-8 and an end mark that no UTF-8 holds, so that ("a", "bc") and ("ab", "c") differ.
    package mutating func append(_ string: String) {
        var string = string
        string.withUTF8 { append(UnsafeRawBufferPointer($0)) }
        append(0xff as UInt8)
    }

    package mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { append($0) }
    }

    package mutating func append(_ digest: Digest) {
        append(digest.high)
        append(digest.low)
    }

    package consuming func finish() -> Digest {
        compress(tail | UInt64(truncatingIfNeeded: byteCount) &<< 56)
        v2 ^= 0xee
        for _ in 0..<3 { round() }
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<3 { round() }
        return Digest(high: v0 ^ v1 ^ v2 ^ v3, low: low)
    }
}

/// A generator whose numbers are the same in every run and on every system (SplitMix64).
///
/// ```swift
/// var random = SeededGenerator(seed: 1)
/// let side = Int.random(in: 1...100, using: &random)
/// ```
///
/// For tests and benchmarks: what it gives can be foretold.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a generator; each seed has a sequence of its own.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// The lowest 8 of the next 64 bits.
    public mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}

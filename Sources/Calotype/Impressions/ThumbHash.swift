import Foundation

/// A blurred picture in 17 to 25 bytes: the lowest frequencies of its luminance, fewer of its colours, and of its alpha if
/// it has any, each coefficient in 4 bits.
///
///     24 bits   L0 (6) | P0 (6) | Q0 (6) | scale of L (5) | has alpha (1)
///     16 bits   L's coefficients along the shorter side (3) | scale of P (6) | scale of Q (6) | is landscape (1)
///      8 bits   A0 (4) | scale of A (4); only with alpha
///     nibbles   the other coefficients of L, P, Q and A, row by row of their frequencies
///
/// Fields begin at the lowest bit of their bytes, which are in little-endian order. L is luminance, P yellow against blue,
/// Q red against green: see ``LPQ``. L has 7 frequencies along the longer side, or 5 beside alpha; P and Q have 3 by 3, A
/// has 5 by 5. Of those, only the ones below the diagonal are kept, and the first, the average, is in the header.
///
/// A value without a buffer of its own. Whatever bytes it was made of, everything it is asked for has an answer.
///
/// - Source: ThumbHash (Evan Wallace, 2023), https://evanw.github.io/thumbhash/
package struct ThumbHash: Hashable, Sendable {
    /// The most bytes that one takes: a square picture with alpha.
    package static let byteLimit = 25

    // 32 bytes: those of the hash, then zeros; the last one is their count.
    private var w0: UInt64 = 0
    private var w1: UInt64 = 0
    private var w2: UInt64 = 0
    private var w3: UInt64 = 0

    /// No hash at all: what zeroed memory holds.
    init() {}

    /// Takes the bytes of a hash.
    ///
    /// - Returns: `nil` if no picture has that hash: its length isn't what its header says, or the header is impossible.
    package init?(bytes: some Collection<UInt8>) {
        guard let hash = Array(bytes).withUnsafeBytes({ ThumbHash($0) }) else { return nil }
        self = hash
    }

    /// The same, without an array: for what reads many.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 5, bytes.count <= Self.byteLimit else { return nil }
        withUnsafeMutableBytes(of: &self) { $0.copyMemory(from: bytes) }
        byteCount = bytes.count
        guard shape.isPossible, byteCount == shape.byteCount else { return nil }
    }

    /// The length in bytes; 0 for no hash.
    package internal(set) var byteCount: Int {
        get { Int(byte(31)) }
        set { setByte(31, UInt8(newValue)) }
    }

    /// The bytes.
    package var bytes: [UInt8] { (0..<byteCount).map(byte) }

    func byte(_ index: Int) -> UInt8 {
        withUnsafeBytes(of: self) { $0[index] }
    }

    mutating func setByte(_ index: Int, _ byte: UInt8) {
        withUnsafeMutableBytes(of: &self) { $0[index] = byte }
    }

    // MARK: The header

    /// Which coefficients there are.
    struct Shape: Hashable {
        var hasAlpha: Bool
        var isLandscape: Bool
        /// L's frequencies along the shorter side; 1 to ``longCount``.
        var shortCount: Int

        /// L's frequencies along the longer side.
        var longCount: Int { hasAlpha ? 5 : 7 }
        var isPossible: Bool { (1...longCount).contains(shortCount) }

        /// Frequencies that are kept of L: at least three of each side, however narrow the picture is.
        var luminance: Grid {
            let (short, long) = (max(3, shortCount), longCount)
            return isLandscape ? Grid(width: long, height: short) : Grid(width: short, height: long)
        }

        static let color = Grid(width: 3, height: 3)
        static let alpha = Grid(width: 5, height: 5)

        var headerByteCount: Int { hasAlpha ? 6 : 5 }

        var byteCount: Int {
            var nibbles = luminance.count + 2 * Self.color.count
            if hasAlpha { nibbles += Self.alpha.count }
            return headerByteCount + (nibbles + 1) / 2
        }
    }

    /// The frequencies of a channel: those of a triangle within `width` by `height`, less the first.
    struct Grid: Hashable {
        var width: Int
        var height: Int

        /// How many are kept of one row.
        func rowCount(_ y: Int) -> Int { (width * (height - y) + height - 1) / height }

        var count: Int { (0..<height).reduce(-1) { $0 + rowCount($1) } }
    }

    var shape: Shape {
        Shape(hasAlpha: byte(2) & 0x80 != 0, isLandscape: byte(4) & 0x80 != 0, shortCount: Int(byte(3) & 7))
    }

    /// Width by height, as precisely as the header has it.
    package var approximateAspectRatio: Double {
        let ratio = Double(shape.shortCount) / Double(shape.longCount)
        return shape.isLandscape ? 1 / ratio : ratio
    }

    /// A width and a height of that ratio, the longer 32 pixels.
    package var approximatePixelSize: PixelSize {
        let short = Int((32 * Double(shape.shortCount) / Double(shape.longCount)).rounded())
        return shape.isLandscape ? PixelSize(width: 32, height: short) : PixelSize(width: short, height: 32)
    }

    /// The averages of the channels; A is 1 where there is none.
    var averages: LPQ {
        let bits = UInt32(byte(0)) | UInt32(byte(1)) << 8 | UInt32(byte(2)) << 16
        return LPQ(
            l: Float(bits & 63) / 63, p: Float(bits >> 6 & 63) / 31.5 - 1, q: Float(bits >> 12 & 63) / 31.5 - 1,
            a: shape.hasAlpha ? Float(byte(5) & 15) / 15 : 1)
    }

    /// What the 4 bits of the other coefficients are multiplied by.
    var scales: LPQ {
        let bits = UInt32(byte(3)) | UInt32(byte(4)) << 8
        return LPQ(
            l: Float(byte(2) >> 2 & 31) / 31, p: Float(bits >> 3 & 63) / 63, q: Float(bits >> 9 & 63) / 63,
            a: shape.hasAlpha ? Float(byte(5) >> 4) / 15 : 0)
    }
}

/// A colour as ThumbHash has it: how light, how yellow rather than blue, how red rather than green, how opaque.
struct LPQ {
    /// (r + g + b) / 3, from 0 to 1.
    var l: Float
    /// (r + g) / 2 - b, from -1 to 1.
    var p: Float
    /// r - g, from -1 to 1.
    var q: Float
    /// From 0 to 1.
    var a: Float

    /// Not premultiplied; each from 0 to 1, as what is out of reach is cut off.
    var rgba: (red: Float, green: Float, blue: Float, alpha: Float) {
        let blue = l - 2 / 3 * p
        let red = (3 * l - blue + q) / 2
        return (Self.limit(red), Self.limit(red - q), Self.limit(blue), Self.limit(a))
    }

    private static func limit(_ value: Float) -> Float { min(max(value, 0), 1) }
}

/// The cosines that the frequencies of one axis are made of: cos(pi f (x + 1/2) / length), for f from 0 to 7.
struct Waves {
    /// All of a sample's in one vector: a channel's row is multiplied at once.
    let samples: [SIMD8<Float>]

    init(length: Int) {
        samples = (0..<length).map { x in
            let base = Float(cos(Double.pi * (Double(x) + 0.5) / Double(length)))
            var wave = SIMD8<Float>(repeating: 1)
            wave[1] = base
            // cos(f t) = 2 cos(t) cos((f - 1) t) - cos((f - 2) t)
            for frequency in 2..<8 { wave[frequency] = 2 * base * wave[frequency - 1] - wave[frequency - 2] }
            return wave
        }
    }
}

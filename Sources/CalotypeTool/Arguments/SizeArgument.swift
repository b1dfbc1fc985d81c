import Calotype

/// The value of `--size`: `original`, a box in pixels (`264x264`, `264x`, `x264`), or one in points with a scale
/// (`88x88@3x`, `88x@1.5x`).
enum SizeArgument: Equatable {
    case original
    case pixels(width: Int?, height: Int?)
    case points(width: Double?, height: Double?, scale: Double)

    static let sides = 1...1_000_000
    static let scales = 0.1...16

    init(_ text: String) throws {
        if text.lowercased() == "original" {
            self = .original
            return
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { throw Self.error(text) }
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, !(sides[0].isEmpty && sides[1].isEmpty) else { throw Self.error(text) }

        if parts.count == 2 {
            guard parts[1].hasSuffix("x"), let scale = Self.decimal(parts[1].dropLast()) else { throw Self.error(text) }
            guard Self.scales ~= scale else { throw UsageError("A scale is between 0.1 and 16.") }
            self = .points(
                width: try Self.side(sides[0], text, Self.decimal), height: try Self.side(sides[1], text, Self.decimal),
                scale: scale)
        } else {
            self = .pixels(
                width: try Self.side(sides[0], text, Self.whole), height: try Self.side(sides[1], text, Self.whole))
        }
    }

    /// The size for a request.
    func size(_ mode: ImageRequest.Size.Mode) -> ImageRequest.Size {
        switch self {
        case .original: .original
        case .pixels(let width, let height): .pixels(width, height, mode)
        case .points(let width, let height, let scale): .points(width, height, scale: scale, mode)
        }
    }

    private static func side<Number: Comparable>(
        _ digits: Substring, _ text: String, _ parse: (Substring) -> Number?
    ) throws -> Number? where Number: Numeric {
        if digits.isEmpty { return nil }
        guard let number = parse(digits) else { throw error(text) }
        guard number >= Number(exactly: sides.lowerBound)!, number <= Number(exactly: sides.upperBound)! else {
            throw UsageError("A side of the size is between 1 and 1000000.")
        }
        return number
    }

    /// Digits alone: signs, exponents and the like aren't sizes. Too many digits are too large a number.
    private static func whole(_ digits: Substring) -> Int? {
        guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(digits) ?? .max
    }

    private static func decimal(_ digits: Substring) -> Double? {
        guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2E }) else { return nil }
        return Double(digits)
    }

    private static func error(_ text: String) -> UsageError {
        UsageError(
            "\(UsageError.quoted(text)) is no size. Use pixels (264x264, 264x, x264), "
                + "points with a scale (88x88@3x) or original.")
    }
}

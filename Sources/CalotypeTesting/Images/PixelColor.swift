/// Red, green, blue and alpha, 8 bits each. Whether alpha is premultiplied is said where a color is used.
public struct PixelColor: Sendable, Hashable, CustomStringConvertible {
    /// The red channel.
    public var red: UInt8
    /// The green channel.
    public var green: UInt8
    /// The blue channel.
    public var blue: UInt8
    /// The alpha channel; 255 is opaque.
    public var alpha: UInt8

    /// Makes a color.
    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// 255, 0, 0.
    public static let red = PixelColor(255, 0, 0)
    /// 0, 255, 0.
    public static let green = PixelColor(0, 255, 0)
    /// 0, 0, 255.
    public static let blue = PixelColor(0, 0, 255)
    /// 255, 255, 255.
    public static let white = PixelColor(255, 255, 255)
    /// 0, 0, 0.
    public static let black = PixelColor(0, 0, 0)
    /// Transparent black.
    public static let clear = PixelColor(0, 0, 0, 0)

    /// "(255, 0, 0, 255)".
    public var description: String { "(\(red), \(green), \(blue), \(alpha))" }

    /// The color with its alpha multiplied in, each channel rounded to the nearest value.
    public var premultiplied: PixelColor {
        let scaled = { (channel: UInt8) in UInt8((Int(channel) * Int(alpha) + 127) / 255) }
        return PixelColor(scaled(red), scaled(green), scaled(blue), alpha)
    }

    /// The color with its alpha divided out; transparent black where alpha is 0.
    public var unpremultiplied: PixelColor {
        if alpha == 0 { return .clear }
        let scaled = { (channel: UInt8) in UInt8(min(255, (Int(channel) * 255 + Int(alpha) / 2) / Int(alpha))) }
        return PixelColor(scaled(red), scaled(green), scaled(blue), alpha)
    }

    /// The luma of the color by ITU-R BT.601, as JPEG and gray PNG take it.
    var gray: UInt8 {
        let sum: Int = 299 * Int(red) + 587 * Int(green) + 114 * Int(blue)
        return UInt8((sum + 500) / 1000)
    }
}

/// An image format, found by its first bytes, never by a file's name or a MIME type.
public struct ImageFormat: Hashable, Sendable, CustomStringConvertible {
    /// The name as people write it.
    public let description: String

    /// A format by a name of the app's own: one that a decoder of the app's recognises (``ImageDecoder/recognize(_:)``), or
    /// what it says in an error, "12-bit JPEG", say.
    public init(_ name: String) {
        description = name
    }

    /// JPEG (ISO/IEC 10918-1).
    public static let jpeg = ImageFormat("JPEG")
    /// PNG, animated or not.
    public static let png = ImageFormat("PNG")
    /// GIF, 87a or 89a.
    public static let gif = ImageFormat("GIF")
    /// WebP.
    public static let webP = ImageFormat("WebP")
    /// AVIF.
    public static let avif = ImageFormat("AVIF")
    /// HEIC, and HEIF of another coding.
    public static let heic = ImageFormat("HEIC")
    /// JPEG XL, bare or in a container.
    public static let jpegXL = ImageFormat("JPEG XL")
    /// Windows bitmap.
    public static let bmp = ImageFormat("BMP")
    /// TIFF.
    public static let tiff = ImageFormat("TIFF")
}

#if os(Linux)
extension ImageFormat {
    /// The trait of the package that brings a decoder for the format, if that trait is off.
    var missingTrait: String? {
        switch self {
        #if !AVIF
        case .avif: "AVIF"
        #endif
        #if !HEIC
        case .heic: "HEIC"
        #endif
        #if !JPEGXL
        case .jpegXL: "JPEGXL"
        #endif
        default: nil
        }
    }
}
#else
extension ImageFormat {
    /// The system decodes what it decodes.
    var missingTrait: String? { nil }
}
#endif

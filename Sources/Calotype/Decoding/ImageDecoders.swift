public import Foundation

/// The decoders that a pipeline asks, the app's own before the system's.
public struct ImageDecoders: Sendable {
    /// What the system's libraries can read.
    public static let system = ImageDecoders([])

    /// The decoders in the order they are asked; the first that supports the format gets the bytes.
    public let all: [any ImageDecoder]

    /// Adds the app's decoders to the system's.
    ///
    /// - Parameter own: Asked first, in this order.
    public init(_ own: [any ImageDecoder]) {
        all = own + [SystemImageDecoder()]
    }

    /// The decoder for that format, or `nil` if none supports it.
    public func decoder(for format: ImageFormat) -> (any ImageDecoder)? {
        all.first { $0.supports(format) }
    }

    /// Finds the format by the bytes, and decodes.
    ///
    /// - Throws: ``ImageError`` of stage `decoding`: no image, an unsupported format, damaged or missing bytes, a limit;
    ///   `CancellationError` if nobody waits any more.
    public func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try options.cancellation.check()
        let signature = data.withUnsafeBytes { Signature.find(in: ByteReader($0)) }
        guard case .format(let format) = signature else { throw ImageError(.decoding, .notAnImage) }
        return try decode(data, format: format, options: options)
    }

    /// Decodes bytes whose format is known.
    func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
        // Where it lies: taken out of the list, a decoder is copied.
        for decoder in all where decoder.supports(format) {
            return try decoder.decode(data, format: format, options: options)
        }
        throw ImageError(.decoding, .unsupportedFormat(format))
    }
}

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
        let format = data.withUnsafeBytes { bytes -> ImageFormat? in
            if case .format(let listed) = Signature.find(in: ByteReader(bytes)) { return listed }
            if case .image(let own, _) = recognize(bytes) { return own }
            return nil
        }
        guard let format else { throw ImageError(.decoding, .notAnImage) }
        return try decode(data, format: format, options: options)
    }

    /// What the first bytes of a file say, or all of them: by Calotype's reading, and where that finds nothing by the
    /// decoders'.
    ///
    /// - Parameter isComplete: Whether these are all bytes.
    func header(of bytes: UnsafeRawBufferPointer, isComplete: Bool) -> ImageHeader.Parse {
        let listed = ImageHeader.parse(bytes)
        switch listed {
        case .image: return listed
        case .needsMoreBytes:
            // The whole of a file may be what could have become a listed format, but not what has begun as one.
            guard isComplete, Signature.find(in: ByteReader(bytes)) == .needsMoreBytes else { return listed }
        case .notAnImage: break
        }
        switch recognize(bytes) {
        case .image(let format, let size): return .image(ImageHeader(format: format, storedSize: size))
        case .needsMoreBytes where bytes.count < FormatRecognition.prefixByteCount: return .needsMoreBytes
        case .needsMoreBytes, .unrecognized: return listed
        }
    }

    /// The first format that a decoder finds, or whether more bytes might show one.
    private func recognize(_ bytes: UnsafeRawBufferPointer) -> FormatRecognition {
        // Nobody is there to ask but the system's, or about nothing.
        guard all.count > 1, !bytes.isEmpty else { return .unrecognized }
        let prefix = Data(bytes.prefix(FormatRecognition.prefixByteCount))
        var result = FormatRecognition.unrecognized
        for decoder in all {
            switch decoder.recognize(prefix) {
            case .image(let format, let size): return .image(format, pixelSize: size)
            case .needsMoreBytes: result = .needsMoreBytes
            case .unrecognized: break
            }
        }
        return result
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

import Foundation

/// Makes the pixels of a rendition: decodes to the target, then applies the processors in order.
///
/// - Isolation: Blocks; called on a thread of the decode queue.
struct RenditionMaker: Sendable {
    /// The finished image, the image as it was decoded, and how long that took.
    struct Made {
        var image: DecodedImage
        var decoded: DecodedImage
        var decodeTime: Duration
        var processTime: Duration?
    }

    let decoders: ImageDecoders
    let limits: ImageLimits
    let colorSpace: DecodedImage.ColorSpace
    let quality: ResizeQuality

    /// About how many bytes ``make(of:target:processors:cancellation:)`` takes at its peak, the result included.
    ///
    /// A processor has its input and its output at once, both about as large as what was decoded.
    func estimatedByteCount(
        of material: RenditionJob.Material, target: PixelTarget, processors: [any ImageProcessor]
    ) -> Int {
        switch material {
        case .bytes(let resource):
            return estimatedByteCount(of: resource.data, resource.header, target: target, processors: processors)
        case .pixels(let larger):
            let result = DecodeEstimate.byteCount(of: target.pixelSize(for: larger.image.sourcePixelSize))
            // The larger pixels are there in any case.
            return processors.isEmpty ? result : DecodeEstimate.multiply(result, 2)
        }
    }

    /// The same for bytes, which may be the beginning of a file.
    func estimatedByteCount(
        of data: Data, _ header: ImageHeader, target: PixelTarget, processors: [any ImageProcessor]
    ) -> Int {
        var decode = 0
        // Looked for here: taken out of the list, a decoder is copied three times.
        for decoder in decoders.all where decoder.supports(header.format) {
            decode = decoder.estimatedByteCount(
                of: data, format: header.format, pixelSize: header.pixelSize, target: target)
            break
        }
        guard !processors.isEmpty, let size = header.pixelSize else { return decode }
        return max(decode, DecodeEstimate.multiply(DecodeEstimate.byteCount(of: target.pixelSize(for: size)), 2))
    }

    /// Makes a rendition.
    ///
    /// - Parameter start: Now.
    /// - Throws: ``ImageError`` of stage `decoding` or `processing`, or `CancellationError`.
    func make(
        of material: RenditionJob.Material, at start: Moment, target: PixelTarget,
        processors: [any ImageProcessor],
        cancellation: DecodeCancellation
    ) throws -> Made {
        let decoded: DecodedImage
        switch material {
        case .bytes(let resource):
            let options = DecodeOptions(
                target: target, colorSpace: colorSpace, quality: quality, limits: limits, cancellation: cancellation)
            decoded = try decode(resource, options)
        case .pixels(let larger):
            let size = target.pixelSize(for: larger.image.sourcePixelSize)
            decoded =
                larger.decodedSize == size
                ? larger.image
                : try larger.image.mapBitmaps {
                    try $0.resized(to: size, quality: quality, cancellation: cancellation)
                }
        }
        let end = Moment.now
        guard !processors.isEmpty else {
            return Made(image: decoded, decoded: decoded, decodeTime: end - start)
        }
        let image = try process(decoded, processors, cancellation)
        return Made(image: image, decoded: decoded, decodeTime: end - start, processTime: .now - end)
    }

    private func decode(_ resource: FetchedResource, _ options: DecodeOptions) throws -> DecodedImage {
        do {
            return try decoders.decode(resource.data, format: resource.header.format, options: options)
        } catch {
            if error is ImageError { throw error }
            if error is CancellationError, options.cancellation.isCancelled { throw error }
            // What an app's own decoder throws may be anything, a cancellation of its own included.
            throw ImageError(.decoding, .decoderFailed(resource.header.format), underlying: error)
        }
    }

    // MARK: Previews

    /// Begins a decode of bytes that still arrive.
    ///
    /// - Returns: `nil` where the format gives no previews.
    func progressiveDecoding(
        _ header: ImageHeader, target: PixelTarget, _ cancellation: DecodeCancellation
    ) -> (any ProgressiveDecoding)? {
        decoders.decoder(for: header.format)?.progressiveDecoding(
            format: header.format,
            options: DecodeOptions(
                target: target, colorSpace: colorSpace, quality: .fast, limits: limits, cancellation: cancellation))
    }

    /// Takes in more bytes, and makes what can be shown of all of them. Processors are applied, as to the finished image: one
    /// may be there to hide something, and a picture that becomes round only in the end catches the eye.
    ///
    /// - Returns: `nil` if there is nothing new to show, or a processor doesn't take it: it may take the finished image.
    func preview(
        _ decoding: any ProgressiveDecoding, appending pieces: [Data], processors: [any ImageProcessor],
        _ cancellation: DecodeCancellation
    ) throws -> DecodedImage? {
        for piece in pieces {
            try cancellation.check()
            try decoding.append(piece)
        }
        guard let image = try decoding.preview() else { return nil }
        do {
            return try process(image, processors, cancellation)
        } catch is ImageError {
            return nil
        }
    }

    // MARK: Processors

    private func process(
        _ decoded: DecodedImage, _ processors: [any ImageProcessor], _ cancellation: DecodeCancellation
    ) throws -> DecodedImage {
        var image = decoded
        for processor in processors {
            try cancellation.check()
            do {
                image = try processor.process(image, cancellation: cancellation)
            } catch let error as CancellationError where cancellation.isCancelled {
                throw error
            } catch {
                throw ImageError(.processing, .processorFailed(identifier: processor.identifier), underlying: error)
            }
        }
        return image
    }
}

extension ImageError {
    /// Whether the bytes are damaged, rather than of a kind that can't be decoded here.
    var isDamage: Bool {
        switch reason {
        case .corrupt, .incomplete: true
        default: false
        }
    }
}

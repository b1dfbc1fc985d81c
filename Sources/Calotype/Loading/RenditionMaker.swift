import Foundation

/// Makes the pixels of a rendition: decodes to the target, then applies the processors in order.
///
/// - Isolation: Blocks; called on a thread of the decode queue.
struct RenditionMaker: Sendable {
    /// The finished image, the image as it was decoded, and how it went.
    struct Made {
        var image: DecodedImage
        var decoded: DecodedImage
        var work: LoadReport.RenditionWork
    }

    let decoders: ImageDecoders
    let limits: ImageLimits
    let quality: ResizeQuality

    /// About how many bytes ``make(of:target:processors:cancellation:)`` takes at its peak, the result included.
    ///
    /// A processor has its input and its output at once, both about as large as what was decoded.
    func estimatedByteCount(
        of material: RenditionJob.Material, target: PixelTarget, processors: [any ImageProcessor]
    ) -> Int {
        let decode: Int
        let result: Int
        switch material {
        case .bytes(let resource):
            let header = resource.header
            let decoder = decoders.decoder(for: header.format)
            decode =
                decoder?.estimatedByteCount(
                    of: resource.data, format: header.format, pixelSize: header.pixelSize, target: target) ?? 0
            result = DecodeEstimate.byteCount(of: header.pixelSize.map(target.pixelSize) ?? .init(width: 0, height: 0))
        case .pixels(let larger):
            result = DecodeEstimate.byteCount(of: target.pixelSize(for: larger.image.originalPixelSize))
            // The larger pixels are there in any case.
            decode = result
        }
        return processors.isEmpty ? decode : max(decode, 2 * min(result, .max / 2))
    }

    /// Makes a rendition.
    ///
    /// - Parameter start: Now.
    /// - Throws: ``ImageError`` of stage `decoding` or `processing`, or `CancellationError`.
    func make(
        of material: RenditionJob.Material, at start: ContinuousClock.Instant, target: PixelTarget,
        processors: [any ImageProcessor],
        cancellation: DecodeCancellation
    ) throws -> Made {
        let decoded: DecodedImage
        var work = LoadReport.RenditionWork(material.work)
        switch material {
        case .bytes(let resource):
            let options = DecodeOptions(
                target: target, quality: quality, limits: limits, cancellation: cancellation)
            decoded = try decode(resource, options)
        case .pixels(let larger):
            let size = target.pixelSize(for: larger.image.originalPixelSize)
            decoded =
                larger.decodedSize == size
                ? larger.image
                : try larger.image.mapBitmaps {
                    try $0.resized(to: size, quality: quality, cancellation: cancellation)
                }
        }
        work.decode = .now - start

        guard !processors.isEmpty else {
            return Made(image: decoded, decoded: decoded, work: work)
        }
        let processStart = ContinuousClock.now
        let image = try process(decoded, processors, cancellation)
        work.process = .now - processStart
        return Made(image: image, decoded: decoded, work: work)
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

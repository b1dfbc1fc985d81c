import Foundation

/// Makes the pixels of a rendition: decodes to the target, then applies the processors in order.
///
/// - Isolation: Blocks; called on a thread of the decode queue.
struct RenditionMaker: Sendable {
    /// The finished image, and the size that was decoded to.
    struct Made {
        var image: DecodedImage
        var decodedSize: PixelSize
    }

    let decoders: ImageDecoders
    let limits: ImageLimits

    /// Makes a rendition of bytes.
    ///
    /// - Throws: ``ImageError`` of stage `decoding` or `processing`, or `CancellationError`.
    func make(
        of resource: FetchedResource, target: PixelTarget, processors: [any ImageProcessor],
        cancellation: DecodeCancellation, report: inout LoadReport
    ) throws -> Made {
        let start = ContinuousClock.now
        let options = DecodeOptions(target: target, limits: limits, cancellation: cancellation)
        let image = try decoders.decode(resource.data, format: resource.header.format, options: options)
        report.times.decode = .now - start
        return try process(image, processors, cancellation, &report)
    }

    /// Makes a rendition of larger pixels that are at hand.
    func make(
        of larger: DecodedImage, target: PixelTarget, processors: [any ImageProcessor],
        cancellation: DecodeCancellation, report: inout LoadReport
    ) throws -> Made {
        let start = ContinuousClock.now
        let image = try larger.resized(
            to: target.pixelSize(for: larger.originalPixelSize), cancellation: cancellation)
        report.times.decode = .now - start
        return try process(image, processors, cancellation, &report)
    }

    private func process(
        _ decoded: DecodedImage, _ processors: [any ImageProcessor], _ cancellation: DecodeCancellation,
        _ report: inout LoadReport
    ) throws -> Made {
        guard !processors.isEmpty else { return Made(image: decoded, decodedSize: decoded.pixelSize) }
        let start = ContinuousClock.now
        var image = decoded
        for processor in processors {
            try cancellation.check()
            do {
                image = try processor.process(image, cancellation: cancellation)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw ImageError(
                    .processing, .processorFailed(identifier: processor.identifier), underlying: error)
            }
        }
        report.times.process = .now - start
        return Made(image: image, decodedSize: decoded.pixelSize)
    }
}

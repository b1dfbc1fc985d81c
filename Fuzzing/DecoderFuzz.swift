import Foundation

@testable import Calotype

/// Decodes whatever bytes come, as the pipeline does: as previews while they arrive, then whole, then as an animation.
enum DecoderFuzz {
    /// Small enough that thousands of inputs are tried a second, large enough that no path is closed.
    static let limits = ImageLimits(
        bodyByteCount: 1 << 20, pixelCount: 1 << 20, frameCount: 64, scanCount: 20, profileByteCount: 64 << 10,
        metadataByteCount: 256 << 10, decodeTime: .seconds(5))

    static func run(_ input: Data, _ format: ImageFormat) {
        // The last byte chooses between the ways of a decode, so that the input alone repeats a run.
        let choice = Int(input.last ?? 0)
        let targets: [PixelTarget] = [
            .original, .fit(width: 33, height: nil), .fill(width: 20, height: 31), .fit(width: 1, height: 1),
        ]
        let options = DecodeOptions(
            target: targets[choice & 3], colorSpace: choice & 4 == 0 ? .sRGB : .displayP3,
            quality: choice & 8 == 0 ? .balanced : .fast, limits: limits)
        guard let decoder = ImageDecoders.system.decoder(for: format) else {
            preconditionFailure("\(format) isn't built in: there is nothing to fuzz.")
        }
        if choice & 16 == 0 { preview(input, decoder, format, options) }
        ImageError.overlooked {
            let image = try decoder.decode(input, format: format, options: options)
            precondition(image.pixelSize == options.target.pixelSize(for: image.originalPixelSize))
            precondition(image.originalPixelSize.pixelCount <= limits.pixelCount)
            guard let animation = image.animation else { return }
            precondition((2...limits.frameCount).contains(animation.frameCount))
            for index in [0, animation.frameCount - 1, 1] {
                let frame = try animation.frame(at: index)
                precondition(frame.pixelSize == image.pixelSize)
            }
        }
    }

    /// Gives the bytes in uneven pieces, and looks after each at what can be shown.
    private static func preview(
        _ input: Data, _ decoder: any ImageDecoder, _ format: ImageFormat, _ options: DecodeOptions
    ) {
        guard let decoding = decoder.progressiveDecoding(format: format, options: options) else { return }
        ImageError.overlooked {
            var rest = input
            var length = 1 + input.count / 7
            while !rest.isEmpty {
                try decoding.append(Data(rest.prefix(length)))
                rest = rest.dropFirst(length)
                if let image = try decoding.preview() { precondition(image.pixelSize.pixelCount <= limits.pixelCount) }
                length = length / 2 + 1 + input.count / 11
            }
        }
    }
}

extension ImageError {
    /// Runs what may refuse its input, with the error that the decoders promise and no other.
    static func overlooked(_ body: () throws -> Void) {
        do {
            try body()
        } catch let error as ImageError {
            precondition(error.stage == .decoding, "\(error)")
        } catch {
            preconditionFailure("Not an ImageError: \(error)")
        }
    }
}

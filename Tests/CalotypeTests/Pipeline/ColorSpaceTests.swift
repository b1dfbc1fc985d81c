import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("The pipeline's colour space")
struct ColorSpaceTests {
    /// Makes an image of the widest space that it may have.
    private struct WideDecoder: ImageDecoder {
        func supports(_ format: ImageFormat) -> Bool { true }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            let image = try SystemImageDecoder().decode(data, format: format, options: options)
            return DecodedImage(bitmap: image.bitmap, colorSpace: options.colorSpace)
        }
    }

    @Test(
        "decoders are asked for sRGB unless the configuration allows more",
        arguments: [nil, DecodedImage.ColorSpace.displayP3])
    func configuration(colorSpace: DecodedImage.ColorSpace?) async throws {
        let fixture = try Fixture { configuration in
            configuration.decoders = ImageDecoders([WideDecoder()])
            if let colorSpace { configuration.colorSpace = colorSpace }
        }
        let url = fixture.serve("/a")
        #expect(try await fixture.pipeline.image(for: ImageRequest(url: url)).colorSpace == colorSpace ?? .sRGB)
    }
}

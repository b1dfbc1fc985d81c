import Foundation
import Testing

@testable import Calotype

@Suite("Choosing a decoder")
struct ImageDecodersTests {
    /// Decodes everything it supports to one pixel.
    private struct OnePixelDecoder: ImageDecoder {
        var format: ImageFormat

        func supports(_ format: ImageFormat) -> Bool { format == self.format }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            DecodedImage(bitmap: Bitmap(size: PixelSize(width: 1, height: 1)) { _ in })
        }
    }

    @Test("the app's decoders are asked first, for what they support")
    func own() throws {
        let decoders = ImageDecoders([OnePixelDecoder(format: .gif), OnePixelDecoder(format: .jpeg)])
        let sizes = try ["quadrants.gif", "orientation-1.jpg", "quadrants.png"].map { name in
            try decoders.decode(ImageFixture.data(name)).pixelSize.width
        }
        #expect(sizes == [1, 1, 64])
        #expect(decoders.all.count == 3)
        #expect(ImageDecoders.system.decoder(for: ImageFormat("Netpbm")) == nil)
    }

    @Test("bytes of another format than the caller claims are damaged, not decoded as something else")
    func mismatch() throws {
        let png = try ImageFixture.data("quadrants.png")
        let reason = imageErrorReason {
            _ = try SystemImageDecoder().decode(png, format: .jpeg, options: DecodeOptions())
        }
        guard case .corrupt(.jpeg, _, _)? = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
    }
}

import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Descriptions of images: what print says of them")
struct ImageDescriptionTests {
    private static let small = Bitmap(size: PixelSize(width: 8, height: 6)) { _ in }

    static let rows: [(image: DecodedImage, text: String)] = [
        (DecodedImage(bitmap: small), "8 x 6 pixels, 192 bytes"),
        (
            DecodedImage(bitmap: small, originalPixelSize: PixelSize(width: 4_000, height: 3_000)),
            "8 x 6 pixels of 4000 x 3000, 192 bytes"
        ),
        (
            DecodedImage(bitmap: small, colorSpace: .displayP3, isToneMapped: true),
            "8 x 6 pixels, 192 bytes, Display P3, tone-mapped"
        ),
        (DecodedImage(bitmap: small, isImpression: true), "8 x 6 pixels, 192 bytes, an impression"),
    ]

    @Test("pixels, the original's size, bytes, and what is out of the ordinary", arguments: rows)
    func still(_ image: DecodedImage, _ text: String) {
        #expect("\(image)" == text)
        #expect(String(reflecting: image) == text)
        #expect(Mirror(reflecting: image).children.count == 1)
    }

    @Test("an animation says how many frames it has, how long they take and how often it plays")
    func animated() {
        for (loopCount, rounds) in [(0, "for ever"), (1, "once"), (3, "3 times")] {
            let animation = ImageAnimation(
                durations: [.milliseconds(100), .milliseconds(1_100)], loopCount: loopCount
            ) { _ in DecodedImage(bitmap: Self.small) }
            #expect("\(animation)" == "2 frames in 1.2 seconds, \(rounds)")
            let image = DecodedImage(bitmap: Self.small, animation: animation)
            #expect(
                "\(image)" == "8 x 6 pixels, \(image.byteCount) bytes, animated: 2 frames in 1.2 seconds, \(rounds)")
        }
    }

    @Test("a bitmap is its size, however many bytes it has")
    func bitmap() {
        let bitmap = Bitmap(size: PixelSize(width: 1_000, height: 1_000)) { _ in }
        var dumped = ""
        dump(bitmap, to: &dumped)
        #expect("\(bitmap)" == "1000 x 1000 pixels, 4000000 bytes")
        #expect(dumped.count < 200)
    }

    @Test("a result is its image, and how that came")
    func result() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 64, height: 48)
        let result = try await fixture.pipeline.result(for: ImageRequest(url: url, size: .pixels(32, nil)))
        #expect("\(result)" == "32 x 24 pixels of 64 x 48, 3072 bytes; \(result.report)")
        #expect("\(RemoteImagePhase.success(result.image, source: .memory))".contains("32 x 24 pixels of 64 x 48"))
    }
}

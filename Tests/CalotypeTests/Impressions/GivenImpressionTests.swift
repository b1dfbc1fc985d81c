import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Impressions that the app brings: ThumbHashes that a server sends along")
struct GivenImpressionTests {
    private static let size = PixelSize(width: 300, height: 200)

    private static func hash(_ color: PixelColor, width: Int = 60, height: Int = 40) -> Data {
        Impression(of: DecodedImage(bitmap: TestImages.solidBitmap(width: width, height: height, color: color)))
            .thumbHash
    }

    private static func impression(_ color: PixelColor) throws -> Impression {
        try #require(Impression(thumbHash: hash(color), pixelSize: size))
    }

    @Test("a ThumbHash that one side makes of an image tells the other side its colours and its ratio")
    func roundTrip() throws {
        let hash = Self.hash(.green)
        #expect((17...25).contains(hash.count))
        let impression = try #require(Impression(thumbHash: hash, pixelSize: Self.size))
        #expect(impression.thumbHash == hash)
        #expect(impression.originalPixelSize == Self.size)
        #expect(impression.image.pixelSize == PixelSize(width: 32, height: 21))
        #expect(impression.image.isImpression && impression.image.originalPixelSize == Self.size)
        #expect(impression.image.bitmap.average.isClose(to: .green, within: 4))
        let guess = try #require(Impression(thumbHash: hash))
        #expect(max(guess.originalPixelSize.width, guess.originalPixelSize.height) == 32)
        #expect(abs(guess.aspectRatio - 1.5) < 0.2)
        // A slice of a message has another first index.
        #expect(Impression(thumbHash: (Data([1, 2, 3]) + hash).dropFirst(3))?.thumbHash == hash)
    }

    @Test("the reference's bytes are read", arguments: ThumbHashVector.all)
    func reference(_ vector: ThumbHashVector) throws {
        #expect(try #require(Impression(thumbHash: Data(vector.hash))).thumbHash == Data(vector.hash))
    }

    @Test("for each header there is one length, 17 to 25 bytes; for an impossible one there is none")
    func lengths() {
        for hasAlpha in [false, true] {
            for shortCount in 0...7 {
                for isLandscape in [false, true] {
                    let header: [UInt8] = [
                        0, 0, hasAlpha ? 0x80 : 0, UInt8(shortCount), isLandscape ? 0x80 : 0,
                    ]
                    let lengths = (0...40).filter { count in
                        let bytes = Data((header + Array(repeating: 0xFF, count: 40)).prefix(count))
                        guard let impression = Impression(thumbHash: bytes) else { return false }
                        // Whatever it says, it has a picture.
                        return impression.image.pixelSize == impression.originalPixelSize
                    }
                    let isPossible = (1...(hasAlpha ? 5 : 7)).contains(shortCount)
                    #expect(lengths.count == (isPossible ? 1 : 0), "\(header)")
                    #expect(lengths.allSatisfy { 17...25 ~= $0 }, "\(header)")
                }
            }
        }
    }

    @Test("a ThumbHash is of sRGB; an impression of an image that is handed on as it is keeps the image's colour space")
    func colorSpace() throws {
        let fixture = try Fixture()
        let image = DecodedImage(
            bitmap: TestImages.solidBitmap(width: 60, height: 40, color: .green), colorSpace: .displayP3)
        let impression = Impression(of: image)
        #expect(Impression(thumbHash: impression.thumbHash)?.image.colorSpace == .sRGB)
        let request = ImageRequest(url: fixture.server.url("/a"))
        fixture.pipeline.insertImpression(impression, for: request)
        #expect(fixture.pipeline.impression(for: request)?.image.colorSpace == .displayP3)
    }

    struct Refusal: CustomTestStringConvertible {
        var testDescription: String
        var hash: Data
        var size: PixelSize?

        private static let green = GivenImpressionTests.hash(.green)

        static let all = [
            Refusal(testDescription: "nothing", hash: Data()),
            Refusal(testDescription: "four bytes", hash: green.prefix(4)),
            Refusal(testDescription: "a byte too few", hash: green.dropLast()),
            Refusal(testDescription: "a byte too many", hash: green + [0]),
            Refusal(testDescription: "a megabyte", hash: Data(count: 1 << 20)),
            Refusal(testDescription: "no width", hash: green, size: PixelSize(width: 0, height: 4)),
            Refusal(testDescription: "a negative height", hash: green, size: PixelSize(width: 4, height: -4)),
        ]
    }

    @Test("bytes that are no hash, and sizes that no image has, make no impression", arguments: Refusal.all)
    func refusals(_ refusal: Refusal) {
        #expect(Impression(thumbHash: refusal.hash, pixelSize: refusal.size) == nil)
    }

    @Test("sides of any length are kept in their ratio")
    func longSides() throws {
        let size = PixelSize(width: Int.max, height: Int.max / 2)
        let impression = try #require(Impression(thumbHash: Self.hash(.green), pixelSize: size))
        #expect(impression.aspectRatio == 2 || abs(impression.aspectRatio - 2) < 0.001)
    }

    @Test("a request has it before its image was ever loaded, the same object each time")
    func given() throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 300, height: 200, color: .blue)
        fixture.pipeline.insertImpression(try Self.impression(.green), for: ImageRequest(url: url))
        let request = ImageRequest(url: url, size: .pixels(30, nil), processors: [.circle])
        let impression = try #require(fixture.pipeline.impression(for: request))
        #expect(impression.originalPixelSize == Self.size)
        #expect(impression.image === fixture.pipeline.impression(for: request)?.image)
        #expect(impression.image.bitmap.average.isClose(to: .green, within: 4))
        #expect(fixture.server.requestCount == 0)
    }

    @Test("the image's own takes its place once it is decoded, is kept by the store, and isn't replaced in turn")
    func replaced() async throws {
        let store = MemoryImpressionStore()
        let fixture = try Fixture { $0.store = store }
        let request = ImageRequest(url: fixture.serve("/a", width: 60, height: 40, color: .green))
        await fixture.pipeline.prepare()
        // The very same as the image's own will be.
        let same = try #require(Impression(thumbHash: Self.hash(.green), pixelSize: PixelSize(width: 60, height: 40)))
        fixture.pipeline.insertImpression(same, for: request)
        #expect(try await store.impressions(limit: 10).entries.isEmpty)
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.waitUntilIdle()
        #expect(try await store.impressions(limit: 10).entries.count == 1)

        fixture.pipeline.insertImpression(try Self.impression(.red), for: request)
        let impression = try #require(fixture.pipeline.impression(for: request))
        #expect(impression.image.bitmap.average.isClose(to: .green, within: 4))
    }

    @Test("what is given first stays, and what a store has kept counts for more, whenever it has been read")
    func order() async throws {
        let store = MemoryImpressionStore()
        let hash = ThumbHash(TestImages.solidBitmap(width: 60, height: 40, color: .green))
        store.keep(
            ImpressionRecord(hash: hash, pixelSize: PixelSize(width: 60, height: 40)), of: "kept", in: nil,
            since: store.epoch())
        let fixture = try Fixture { $0.store = store }
        func request(_ id: ResourceID) throws -> ImageRequest {
            ImageRequest(url: try #require(URL(string: "https://img.example.com/a")), id: id)
        }
        func isColored(_ id: ResourceID, _ color: PixelColor) throws -> Bool {
            fixture.pipeline.impression(for: try request(id))?.image.bitmap.average.isClose(to: color, within: 4)
                ?? false
        }
        for id in ["kept", "new"] as [ResourceID] {
            fixture.pipeline.insertImpression(try Self.impression(.blue), for: try request(id))
            fixture.pipeline.insertImpression(try Self.impression(.red), for: try request(id))
        }
        #expect(try isColored("new", .blue))
        await fixture.pipeline.prepare()
        #expect(try isColored("new", .blue))
        #expect(try isColored("kept", .green))
        fixture.pipeline.insertImpression(try Self.impression(.red), for: try request("kept"))
        #expect(try isColored("kept", .green))
    }

    @Test("it belongs to its partition, goes with it, and requests that leave no trace take none")
    func partitions() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a")
        let own = ImageRequest(url: url, partition: "one")
        fixture.pipeline.insertImpression(try Self.impression(.green), for: own)
        fixture.pipeline.insertImpression(
            try Self.impression(.green), for: ImageRequest(url: url, cachePolicy: .noStore))
        #expect(fixture.pipeline.impression(for: own) != nil)
        #expect(fixture.pipeline.impression(for: ImageRequest(url: url)) == nil)
        #expect(fixture.pipeline.impression(for: ImageRequest(url: url, partition: "other")) == nil)
        await fixture.pipeline.removePartition("one")
        #expect(fixture.pipeline.impression(for: own) == nil)
        fixture.pipeline.insertImpression(try Self.impression(.green), for: own)
        #expect(fixture.pipeline.impression(for: own) != nil)
        await fixture.pipeline.removeAll()
        #expect(fixture.pipeline.impression(for: own) == nil)
    }

    @Test("a view shows it in its first frame")
    @MainActor
    func firstFrame() throws {
        let fixture = try Fixture()
        let request = ImageRequest(url: fixture.serve("/a"))
        fixture.pipeline.insertImpression(try Self.impression(.green), for: request)
        let view = ModelView(request, in: fixture.pipeline)
        guard case .loading(nil, let preview?) = view.phase else {
            Issue.record("\(view.phase)")
            return
        }
        #expect(preview.isImpression && preview.originalPixelSize == Self.size)
        #expect(fixture.server.requestCount == 0)
    }
}

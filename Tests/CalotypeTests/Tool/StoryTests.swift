import Calotype
import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeTool

/// Reports and pictures for tests of what is made of them.
enum DemoFixture {
    /// Files that differ in every block, and small ones.
    static let pictures: [Data] = (0..<StoryPictures.count).map { number in
        TestImages.jpeg(width: 480, height: 320) { x, y in
            var random = SeededGenerator(seed: UInt64(number << 16 | (x / 8) << 8 | (y / 8)))
            return PixelColor(random.byte(), random.byte(), random.byte())
        }
    }

    static let sides: [(side: FeedSide, report: FeedReport)] = {
        var record = FeedRecord()
        record.add([0: .placeholder], at: .zero)
        let report = FeedReport(
            record: record, decodes: .init(decodeCount: 7, pixelCount: 2_500_000), peakByteCount: 48 << 20,
            traffic: .init(requestCount: 1_234, byteCount: 100))
        var double = report
        double.traffic.byteCount = 200
        return [(.asyncImage, double), (.calotype, report)]
    }()

    /// A story of its own, which ends with `body`.
    @MainActor
    static func withStory(_ body: (Story) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let story = try Story(StoryPictures(pictures), folder: folder.url.appending(path: "store"), latency: .zero)
        do {
            try await body(story)
        } catch {
            await story.end()
            throw error
        }
        await story.end()
    }
}

@Suite("calo demo: the acts", .timeLimit(.minutes(5)))
@MainActor
struct StoryTests {
    @Test("all acts, one after another: every claim holds, and the figures are the server's")
    func story() async throws {
        try await DemoFixture.withStory { story in
            var acts: [Act] = []
            for name in Act.Name.allCases {
                let before = story.origin.exchanges.count
                let act = try await story.play(name)
                #expect(act.name == name)
                #expect(act.failures.isEmpty, "\(name): \(act.failures.map(\.failure))")
                #expect(act.claims.count >= 3)
                #expect(act.traffic == StoryOrigin.Traffic(story.origin.exchanges.dropFirst(before)))
                acts.append(act)
            }
            #expect(acts.map(\.rowCount) == [8, 8, 8, 8, 8, 8])
            #expect(acts.map(\.shownAtOnceCount) == [0, 8, 8, 6, 6, 0])
            #expect(acts.map(\.traffic.requestCount) == [8, 3, 3, 0, 4, 8])
            #expect(acts.map(\.traffic.notModifiedCount) == [0, 3, 2, 0, 2, 0])
            let sizes = DemoFixture.pictures.map(\.count)
            #expect(acts[0].traffic.byteCount == sizes.prefix(8).reduce(0, +))
            #expect(acts[2].traffic.byteCount == sizes[14])
            // Those of eight rows, of two that failed and came back, and of one that was cancelled, at least.
            #expect(story.recorder.count >= 8 + 8 + 8 + 8 + 2 + 8)
            // The scenes show it: nothing, impressions; pictures; failures; blank rows.
            let pictures = acts.map { $0.scenes.map { $0.frame.rows.count { $0.picture != nil } } }
            #expect(pictures == [[0, 8], [8, 8], [8, 8], [6, 6], [8], [7, 4]])
            #expect(acts[3].scenes.map { $0.frame.rows.count(where: \.hasFailed) } == [0, 2])
        }
    }

    @Test("a server that forbids to store: the warm start's claims fail, and say what was found")
    func nothingStored() async throws {
        try await DemoFixture.withStory { story in
            for row in 0..<StoryPictures.rowCount {
                var resource = StoryPictures.resource(story.pictures.row(row))
                resource.fields = ["Cache-Control": "no-store"]
                story.origin.serve(.shared(resource), at: StoryPictures.path(row: row))
            }
            let cold = try await story.play(.coldStart)
            #expect(cold.failures.map(\.failure) == ["every response is stored: 0 of 8, not 8 of 8"])
            let warm = try await story.play(.warmStart)
            #expect(warm.failures.count == warm.claims.count)
            #expect(
                warm.failures.map(\.failure).contains(
                    "what is fresh isn't asked about: 5 requests for 5 pictures, not 0 requests"))
        }
    }

    @Test("a server that sends an unchanged picture again is caught")
    func sentAgain() async throws {
        try await DemoFixture.withStory { story in
            _ = try await story.play(.coldStart)
            // The same file under another ETag.
            story.serve(1, story.pictures.row(1), version: 9)
            let failures = try await story.play(.warmStart).failures
            #expect(
                failures.map(\.failure) == [
                    "every row shows its own picture, from the disk: 7 of 8, not 8 of 8",
                    "what the server wants to be asked about is confirmed: 3 requests, 2 x 304, not 3 requests, 3 x 304",
                    "no picture is sent again: \(story.pictures.row(1).count) bytes, not 0 bytes",
                ])
        }
    }

    @Test("another picture than the row's is caught, pixel for pixel")
    func wrongPicture() async throws {
        try await DemoFixture.withStory { story in
            story.serve(2, story.pictures.row(3))
            let failures = try await story.play(.coldStart).failures
            #expect(failures.map(\.failure) == ["every row shows its own picture, from the server: 7 of 8, not 8 of 8"])
        }
    }

    @Test("bytes that a sign-out leaves behind would be found, in whichever file")
    func leftBehind() throws {
        let folder = try TemporaryFolder()
        let pictures = DemoFixture.pictures.prefix(3)
        try folder.write(Data("index".utf8) + pictures[0], to: "a/index")
        try folder.write(pictures[1].dropFirst(pictures[1].count / 2) + Data([1]), to: "bodies/b")
        #expect(try StoreFiles(folder.url).count(of: Array(pictures)) == 2)
    }

    @Test(
        "an act that comes before its time is an error, and no crash",
        arguments: [Act.Name.change, .reconnection, .signOut])
    func order(_ name: Act.Name) async throws {
        try await DemoFixture.withStory { story in
            await #expect(throws: StoryError.self) { try await story.play(name) }
        }
    }

    @Test("a story that is cancelled while it waits ends")
    func cancellation() async throws {
        try await DemoFixture.withStory { story in
            let gate = LoopbackServer.Gate()
            defer { gate.open() }
            story.origin.hold(StoryPictures.path(row: 0), for: "", at: gate)
            let act = Task { try await story.play(.coldStart) }
            try await gate.waitUntilHeld()
            act.cancel()
            await #expect(throws: CancellationError.self) { try await act.value }
        }
    }

    @Test("the table has a line for each act")
    func table() {
        let claim = Claim("it is so", 1, is: 1)
        let acts = Act.Name.allCases.map {
            Act(
                name: $0, plot: "", rowCount: 8, shownAtOnceCount: 3,
                traffic: .init(requestCount: 12, notModifiedCount: 4, byteCount: 1_234_567),
                duration: $0 == .signOut ? nil : .milliseconds(1_500), claims: [claim], scenes: [])
        }
        let lines = StoryTable(acts: acts).text.split(separator: "\n")
        #expect(lines.count == 1 + acts.count && Set(lines.map(\.count)) == [76])
        #expect(lines[2] == "warm start               8        3        12     4    1,234,567    1,500 ms")
        #expect(lines.last?.hasSuffix("  -") == true)
        #expect(StoryTable.text(of: acts[0]) == "cold start\n  + it is so: 1")
    }
}

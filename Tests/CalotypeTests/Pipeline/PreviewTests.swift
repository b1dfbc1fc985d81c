import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Previews: an image is shown while it arrives, at most four times a second, for those who look")
struct PreviewTests {
    private static let file = PreviewFixture.file
    private static let stops = PreviewFixture.stops

    @Test("one every quarter of a second while bytes come, each of all bytes so far; then the image")
    func rate() async throws {
        let fixture = try PreviewFixture()
        let (_, updates) = fixture.follow(fixture.request)
        await updates.read(to: Self.stops.0)
        #expect(fixture.decoder.decodings.isEmpty)
        try await fixture.waitForTurn()
        let first = try #require(await updates.preview())
        #expect(first.pixelSize == PreviewFixture.size && first.bitmap.pixel(0, 0) == .green)
        let decoding = try #require(fixture.decoder.decodings.first)
        #expect(decoding.bytes == Self.file.prefix(Self.stops.0))

        fixture.gates.0.open()
        #expect(await updates.read(to: Self.stops.1).isEmpty)
        try await fixture.clock.waitForSleepers(count: 1)
        fixture.clock.advance(by: .milliseconds(249))
        #expect(fixture.clock.sleeperCount == 1)
        #expect(decoding.previewCount == 1)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(await updates.preview() != nil)
        #expect(decoding.bytes == Self.file.prefix(Self.stops.1))

        fixture.gates.1.open()
        let rest = await updates.rest()
        #expect(rest.previews.isEmpty)
        let report = try #require(rest.images.first?.report)
        #expect(rest.images.first?.image.bitmap.pixel(0, 0) == .red)
        #expect(report.previewCount == 2)
        let time = try #require(report.times.firstPreview)
        #expect(time > .zero && time < report.duration)
        #expect(fixture.decoder.decodings.count == 1 && decoding.previewCount == 2)
        #expect(fixture.clock.requestedSleeps.allSatisfy { $0 == .milliseconds(250) })
        #expect(fixture.pipeline.cachedImage(for: fixture.request)?.bitmap.pixel(0, 0) == .red)
        await fixture.pipeline.waitUntilIdle()
    }

    @Test("bytes that come faster than they are decoded are decoded together, and never two at a time")
    func latestOnly() async throws {
        let gate = ProcessingGate()
        let fixture = try PreviewFixture(script: { number, decoding in
            if number == 1 { gate.pass() }
            return try decoding.image()
        })
        let (load, updates) = fixture.follow(fixture.request)
        await updates.read(to: Self.stops.0)
        try await fixture.waitForTurn()
        await gate.waitUntilReached()
        fixture.gates.0.open()
        await updates.read(to: Self.stops.1)
        fixture.clock.advance(by: .seconds(10))
        let decoding = try #require(fixture.decoder.decodings.first)
        #expect(fixture.clock.sleeperCount == 0 && decoding.previewCount == 1)
        #expect(decoding.bytes == Self.file.prefix(Self.stops.0))
        gate.open()
        #expect(await updates.preview() != nil)
        try await fixture.waitForTurn()
        #expect(await updates.preview() != nil)
        #expect(decoding.bytes == Self.file.prefix(Self.stops.1) && decoding.previewCount == 2)
        fixture.gates.1.open()
        #expect(try await load.result.report.previewCount == 2)
    }

    /// Why nobody is shown anything.
    enum Quiet: String, CaseIterable {
        case notFollowed, notWanted, prefetch, data, small, fast
    }

    @Test(
        "no work at all for those who don't look or don't want, nor for what is there at once",
        arguments: Quiet.allCases)
    func quiet(_ reason: Quiet) async throws {
        let fixture = try PreviewFixture()
        var request = fixture.request
        request.size = .pixels(100, 75)
        if ![.notWanted, .small, .fast].contains(reason) { fixture.start.open() }
        switch reason {
        case .notFollowed:
            let load = fixture.pipeline.load(request)
            try await fixture.gates.0.waitUntilHeld()
            fixture.openAll()
            #expect(try await load.result.report.previewCount == 0)
        case .notWanted:
            request.progressivePreviews = false
            let (_, updates) = fixture.follow(request)
            await updates.read(to: Self.stops.0)
            fixture.openAll()
            #expect(await updates.rest().images.count == 1)
        case .prefetch:
            let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, priority: .high)
            prefetcher.start([request])
            try await fixture.gates.0.waitUntilHeld()
            fixture.openAll()
            await prefetcher.finished()
            #expect(fixture.pipeline.contains(request))
        case .data:
            async let data = fixture.pipeline.data(for: request)
            try await fixture.gates.0.waitUntilHeld()
            fixture.openAll()
            #expect(try await data == Self.file)
        case .small:
            let file = TestImages.solidPNG(width: 90, height: 90, color: .red)
            try #require(file.count < 32 << 10 && file.count > 30_000)
            fixture.base.server.respond(
                to: "/a",
                with: .ok(file, type: "image/png").gated(fixture.start)
                    .gated(fixture.gates.0, afterBodyBytes: 30_000))
            let (_, updates) = fixture.follow(request)
            await updates.read(to: 30_000)
            fixture.openAll()
            #expect(await updates.rest().images.count == 1)
        case .fast:
            // The one that waits: nothing else is done before the first quarter of a second is over.
            let (_, updates) = fixture.follow(request)
            await updates.read(to: Self.stops.0)
            fixture.openAll()
            #expect(await updates.rest().images.count == 1)
        }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.decoder.decodings.isEmpty)
        if reason != .fast { #expect(fixture.clock.requestedSleeps.isEmpty) }
    }

    @Test("of a body whose length isn't known, once there is enough of it")
    func unknownLength() async throws {
        let fixture = try PreviewFixture()
        fixture.base.server.respond(to: "/a", with: fixture.response.framed(.chunked(sizes: [Self.stops.0])))
        let (_, updates) = fixture.follow(fixture.request)
        await updates.read(to: Self.stops.0)
        try await fixture.waitForTurn()
        #expect(await updates.preview() != nil)
        fixture.openAll()
        #expect(await updates.rest().images.count == 1)
    }

    @Test("who comes to look late is shown everything from the first byte")
    func lateFollower() async throws {
        let fixture = try PreviewFixture()
        var request = fixture.request
        request.size = .pixels(100, 75)
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
        prefetcher.start([request])
        fixture.start.open()
        try await fixture.gates.0.waitUntilHeld()
        let (_, updates) = fixture.follow(request)
        fixture.gates.0.open()
        await updates.read(to: Self.stops.1)
        try await fixture.waitForTurn()
        #expect(await updates.preview()?.pixelSize == PixelSize(width: 100, height: 75))
        #expect(fixture.decoder.decodings.map(\.bytes) == [Self.file.prefix(Self.stops.1)])
        fixture.gates.1.open()
        #expect(await updates.rest().images.count == 1)
        await prefetcher.finished()
        #expect(fixture.base.server.requestCount == 1)
    }

    @Test("renditions of one download have previews of their own size, after their own processors")
    func renditions() async throws {
        let fixture = try PreviewFixture()
        var (small, round) = (fixture.request, fixture.request)
        small.size = .pixels(100, 75)
        round.processors = [.circle]
        let loads = [small, round].map(fixture.pipeline.load)
        let updates = loads.map(UpdateReader.init)
        fixture.start.open()
        for index in 0..<2 { await updates[index].read(to: Self.stops.0) }
        try await fixture.clock.waitForSleepers(count: 2)
        fixture.clock.advance(by: .milliseconds(250))
        let image = try #require(await updates[0].preview())
        #expect(image.pixelSize == PixelSize(width: 100, height: 75) && image.bitmap.pixel(0, 0) == .green)
        let avatar = try #require(await updates[1].preview())
        #expect(avatar.pixelSize == PixelSize(width: 150, height: 150))
        #expect(avatar.bitmap.pixel(0, 0).alpha == 0 && avatar.bitmap.pixel(75, 75) == .green)
        fixture.openAll()
        for index in 0..<2 { #expect(await updates[index].rest().images.count == 1) }
        #expect(fixture.base.server.requestCount == 1)
    }

    @Test("a preview that a processor refuses is left out; the next one counts, and so does the image")
    func refusedByProcessor() async throws {
        let gate = ProcessingGate()
        let fixture = try PreviewFixture(script: { number, decoding in
            gate.pass()
            return try decoding.image(number == 1 ? .blue : .green)
        })
        var request = fixture.request
        request.processors = [
            .custom(identifier: "no blue") { image in
                if image.bitmap.pixel(0, 0) == .blue { throw CancellationError() }
                return image
            }
        ]
        let (load, updates) = fixture.follow(request)
        await updates.read(to: Self.stops.0)
        try await fixture.waitForTurn()
        await gate.waitUntilReached()
        gate.open()
        fixture.gates.0.open()
        #expect(await updates.read(to: Self.stops.1).isEmpty)
        try await fixture.waitForTurn()
        #expect(await updates.preview()?.bitmap.pixel(0, 0) == .green)
        fixture.gates.1.open()
        #expect(try await load.result.report.previewCount == 1)
    }

    @Test("a decoder that throws isn't asked again; the complete file decides")
    func decoderThrows() async throws {
        let gate = ProcessingGate()
        let fixture = try PreviewFixture(script: { _, _ in
            gate.pass()
            throw ImageError(.decoding, .corrupt(.png, detail: "half a file", offset: 1))
        })
        let (_, updates) = fixture.follow(fixture.request)
        await updates.read(to: Self.stops.0)
        try await fixture.waitForTurn()
        await gate.waitUntilReached()
        gate.open()
        fixture.gates.0.open()
        #expect(await updates.read(to: Self.stops.1).isEmpty)
        fixture.gates.1.open()
        let rest = await updates.rest()
        #expect(rest.previews.isEmpty && rest.images.first?.report.previewCount == 0)
        #expect(fixture.decoder.decodings.map(\.previewCount) == [1])
        #expect(fixture.clock.requestedSleeps.count <= 2)
    }
}

import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Previews give way, end with their load, and are of one body alone")
struct PreviewEndTests {
    private static let file = PreviewFixture.file
    private static let stops = PreviewFixture.stops

    /// A fixture in whose decoder the first preview is being made.
    private func held(
        _ gate: ProcessingGate, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) async throws -> (PreviewFixture, ImageLoad, UpdateReader) {
        let fixture = try PreviewFixture(
            change,
            script: { number, decoding in
                if number == 1 { gate.pass() }
                return try decoding.image()
            })
        let (load, updates) = fixture.follow(fixture.request)
        await updates.read(to: Self.stops.0)
        try await fixture.waitForTurn()
        await gate.waitUntilReached()
        return (fixture, load, updates)
    }

    @Test("one that is being made holds nothing up, on a single thread either, and isn't shown after the image")
    func finalImageFirst() async throws {
        let gate = ProcessingGate()
        let (fixture, load, updates) = try await held(gate) { $0.decodeLimit = 1 }
        fixture.openAll()
        let result = try await load.result
        #expect(result.image.bitmap.pixel(0, 0) == .red && result.report.previewCount == 0)
        #expect(fixture.decoder.decodings.first?.options.cancellation.isCancelled == true)
        gate.open()
        await fixture.pipeline.waitUntilIdle()
        let rest = await updates.rest()
        #expect(rest.previews.isEmpty && rest.images.count == 1)
    }

    @Test("cancelling the load stops the one that is being made at once, and waits for it to end")
    func cancellation() async throws {
        let gate = ProcessingGate()
        let (fixture, load, updates) = try await held(gate)
        let decoding = try #require(fixture.decoder.decodings.first)
        #expect(!decoding.options.cancellation.isCancelled)
        load.cancel()
        #expect(decoding.options.cancellation.isCancelled)
        try await waitUntil { fixture.pipeline.jobCounts.fetches == 0 }
        #expect(!fixture.pipeline.isIdle)
        gate.open()
        await fixture.pipeline.waitUntilIdle()
        let rest = await updates.rest()
        #expect(rest.previews.isEmpty && rest.images.isEmpty)
        #expect(fixture.clock.sleeperCount == 0)
    }

    @Test(
        "when the last who looks has left, none is made for the others, who have their image; who comes back begins anew"
    )
    func lastFollower() async throws {
        let gate = ProcessingGate()
        let (fixture, load, cancelled) = try await held(gate)
        let other = fixture.pipeline.load(fixture.request)
        let decoding = try #require(fixture.decoder.decodings.first)
        load.cancel()
        #expect(decoding.options.cancellation.isCancelled)
        gate.open()
        #expect(await cancelled.rest().previews.isEmpty)
        let late = fixture.pipeline.load(fixture.request)
        let updates = UpdateReader(late)
        fixture.gates.0.open()
        await updates.read(to: Self.stops.1)
        try await fixture.waitForTurn()
        #expect(await updates.preview() != nil)
        #expect(fixture.decoder.decodings.last?.bytes == Self.file.prefix(Self.stops.1))
        fixture.openAll()
        #expect(try await other.result.report.previewCount == 1)
        #expect(fixture.base.server.requestCount == 1)
    }

    @Test("a load that waits for its next preview is cancelled without a trace")
    func cancellationBetween() async throws {
        let fixture = try PreviewFixture()
        let (load, updates) = fixture.follow(fixture.request)
        await updates.read(to: Self.stops.0)
        try await fixture.clock.waitForSleepers(count: 1)
        load.cancel()
        try await waitUntil { fixture.clock.sleeperCount == 0 }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.decoder.decodings.isEmpty)
        #expect(await updates.rest().previews.isEmpty)
        try await fixture.base.server.waitForOpenConnections(count: 0)
    }

    @Test("none is made while the decoders are busy with finished images")
    func givesWay() async throws {
        let fixture = try PreviewFixture { $0.decodeLimit = 1 }
        let gate = ProcessingGate()
        fixture.decoder.hold(at: gate)
        let other = fixture.pipeline.load(ImageRequest(url: fixture.base.serve("/other")))
        await gate.waitUntilReached()
        let (load, updates) = fixture.follow(fixture.request)
        await updates.read(to: Self.stops.0)
        try await fixture.waitForTurn()
        fixture.clock.advance(by: .seconds(10))
        fixture.gates.0.open()
        #expect(await updates.read(to: Self.stops.1).isEmpty)
        #expect(fixture.decoder.decodings.isEmpty)
        gate.open()
        _ = try await other.result
        #expect(await updates.preview() != nil)
        #expect(fixture.decoder.decodings.map(\.bytes) == [Self.file.prefix(Self.stops.1)])
        fixture.openAll()
        #expect(try await load.result.report.previewCount == 1)
    }

    @Test("none is made of what would take more than half of the decoders' bytes")
    func budget() async throws {
        let fixture = try PreviewFixture { $0.decodeByteBudget = 100_000 }
        let (_, updates) = fixture.follow(fixture.request)
        await updates.read(to: Self.stops.0)
        try await fixture.waitForTurn()
        fixture.gates.0.open()
        #expect(await updates.read(to: Self.stops.1).isEmpty)
        try await fixture.waitForTurn()
        fixture.gates.1.open()
        #expect(await updates.rest().images.count == 1)
        #expect(fixture.decoder.decodings.isEmpty)
    }

    /// What takes a load's picture out of the caches.
    enum Removal: CaseIterable {
        case invalidate, removePartition, removeAll
    }

    @Test("what was removed while it arrived isn't seen in the load that follows", arguments: Removal.allCases)
    func removal(_ removal: Removal) async throws {
        let fixture = try PreviewFixture()
        let second = TestImages.solidPNG(width: 180, height: 160, color: .blue)
        let start = LoopbackServer.Gate()
        fixture.base.server.route("/a") { [first = fixture.response, stop = fixture.gates.1] request in
            guard request.number > 1 else { return first }
            return .ok(second, type: "image/png").gated(start).gated(stop, afterBodyBytes: Self.stops.1)
        }
        var request = fixture.request
        request.partition = "first-account"
        let (_, updates) = fixture.follow(request)
        await updates.read(to: Self.stops.0)
        try await fixture.clock.waitForSleepers(count: 1)
        switch removal {
        case .invalidate: await fixture.pipeline.invalidate(request.id)
        case .removePartition: await fixture.pipeline.removePartition("first-account")
        case .removeAll: await fixture.pipeline.removeAll()
        }
        let newLoad = fixture.pipeline.load(request)
        let newUpdates = UpdateReader(newLoad)
        start.open()
        await newUpdates.read(to: Self.stops.1)
        // That of the old load has ended, unless it goes on.
        try await waitUntil {
            fixture.clock.requestedSleeps.count >= 2
                && fixture.clock.sleeperCount == (removal == .invalidate ? 2 : 1)
        }
        fixture.clock.advance(by: .milliseconds(250))
        #expect(await newUpdates.preview()?.pixelSize == PixelSize(width: 180, height: 160))
        // One that is outdated goes on for those who wait for it.
        if removal == .invalidate { #expect(await updates.preview()?.pixelSize == PreviewFixture.size) }
        fixture.openAll()
        #expect(await newUpdates.rest().images.first?.image.bitmap.pixel(0, 0) == .blue)
        let rest = await updates.rest()
        #expect(rest.images.count == (removal == .invalidate ? 1 : 0) && rest.previews.isEmpty)
        await fixture.pipeline.waitUntilIdle()
        for decoding in fixture.decoder.decodings {
            #expect(Self.file.starts(with: decoding.bytes) || second.starts(with: decoding.bytes))
        }
    }

    @Test("a picture that is shown while it is revalidated isn't replaced by previews of the new one")
    func staleWhileShown() async throws {
        let fixture = try PreviewFixture()
        fixture.base.server.route("/a") { [response = fixture.response] request in
            if request.number > 1 { return response }
            return .ok(
                TestImages.solidPNG(width: 20, height: 15, color: .blue), type: "image/png",
                fields: ["Cache-Control": "max-age=1, stale-while-revalidate=60"])
        }
        _ = try await fixture.pipeline.image(for: fixture.request)
        fixture.clock.advance(by: .seconds(10))
        let (load, updates) = fixture.follow(fixture.request)
        #expect(try await load.result.image.bitmap.pixel(0, 0) == .blue)
        try await fixture.gates.0.waitUntilHeld()
        fixture.openAll()
        let rest = await updates.rest()
        #expect(rest.previews.isEmpty)
        #expect(rest.images.map { $0.image.bitmap.pixel(0, 0) } == [.blue, .red])
        #expect(fixture.clock.requestedSleeps.isEmpty && fixture.decoder.decodings.isEmpty)
    }

    @Test(
        "one that memory has in as many pixels isn't replaced by a preview, a smaller one is", arguments: [true, false])
    func memoryPreview(isSmaller: Bool) async throws {
        let fixture = try PreviewFixture()
        var old = fixture.request
        if isSmaller { old.size = .pixels(100, 75) }
        let size = isSmaller ? PixelSize(width: 100, height: 75) : PreviewFixture.size
        let bitmap = TestImages.solidBitmap(width: size.width, height: size.height, color: .blue)
        fixture.pipeline.insert(DecodedImage(bitmap: bitmap, originalPixelSize: PreviewFixture.size), for: old)
        var request = fixture.request
        request.cachePolicy = .revalidate
        let (_, updates) = fixture.follow(request)
        #expect(await updates.preview()?.pixelSize == size)
        await updates.read(to: Self.stops.0)
        if isSmaller {
            try await fixture.waitForTurn()
            #expect(await updates.preview()?.pixelSize == PreviewFixture.size)
        }
        fixture.openAll()
        let rest = await updates.rest()
        #expect(rest.previews.isEmpty && rest.images.count == 1)
        #expect(fixture.decoder.decodings.count == (isSmaller ? 1 : 0))
    }

    @Test(
        "of a body that breaks off and is fetched anew, all begins anew; of one that is continued, it goes on",
        arguments: [true, false])
    func retry(isContinued: Bool) async throws {
        let fixture = try PreviewFixture { $0.retry = RetryPolicy(attemptLimit: 2, baseDelay: .zero) }
        let resource = LoopbackServer.Resource(
            Self.file, type: "image/png", etag: "\"v1\"", fields: ["Cache-Control": "max-age=60"],
            acceptsRanges: isContinued)
        fixture.base.server.route("/a") { [start = fixture.start, gates = fixture.gates] request in
            let response = resource.response(to: request).gated(start)
            guard request.number == 1 else {
                return response.gated(gates.1, afterBodyBytes: isContinued ? 20_000 : Self.stops.1)
            }
            return response.gated(gates.0, afterBodyBytes: Self.stops.0).truncated(afterBodyBytes: 60_000)
        }
        let (load, updates) = fixture.follow(fixture.request)
        await updates.read(to: Self.stops.0)
        try await fixture.waitForTurn()
        #expect(await updates.preview() != nil)
        fixture.gates.0.open()
        await updates.read(to: Self.stops.1)
        try await fixture.waitForTurn()
        #expect(await updates.preview() != nil)
        let decodings = fixture.decoder.decodings
        #expect(decodings.count == (isContinued ? 1 : 2))
        #expect(decodings.last?.bytes == Self.file.prefix(Self.stops.1))
        fixture.gates.1.open()
        let report = try await load.result.report
        #expect(report.previewCount == 2 && report.retryCount == 1)
    }
}

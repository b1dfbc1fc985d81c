import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import Testing

@Suite("Image views: a cell that is used again")
@MainActor
struct RecycledCellTests {
    @Test("an image in memory is shown, and told, before the call returns, and doesn't move")
    func memoryHit() async throws {
        let images = try ImageServer()
        let url = images.serve(1)
        _ = try await images.pipeline.image(for: ImageRequest(url: url, size: .points(40, 40, scale: 1)))
        let cell = FakeCell()
        cell.show(url, in: images.pipeline)
        #expect(cell.display.color == .number(1))
        #expect(cell.display.shows.count == 1 && cell.display.transition == .none)
        guard case .success(let image, .memory)? = cell.phases.first else {
            Issue.record("It told \(cell.phases).")
            return
        }
        #expect(cell.phases.count == 1 && image === cell.display.image)
        // What comes afterwards of the load changes nothing.
        await settle(images.pipeline)
        #expect(cell.display.shows.count == 1 && cell.phases.count == 1)
        #expect(images.requestCount(1) == 1)
    }

    @Test("a former image gives way at once to the placeholder, and the new one appears over it")
    func reuse() async throws {
        let images = try ImageServer { $0.impressions = nil }
        let gate = LoopbackServer.Gate()
        let firstGate = LoopbackServer.Gate()
        let (first, second) = (images.serve(1, gate: firstGate), images.serve(2, gate: gate))
        let cell = FakeCell()
        cell.show(first, in: images.pipeline)
        #expect(cell.display.name == "placeholder")
        firstGate.open()
        try await cell.wait(for: 1)
        #expect(cell.display.transition == .fade)
        cell.show(second, in: images.pipeline)
        #expect(cell.display.name == "placeholder" && cell.display.transition == .none)
        try await gate.waitUntilHeld()
        gate.open()
        try await cell.wait(for: 2)
        #expect(cell.display.shows.count { if case .pixels = $0.content { true } else { false } } == 2)
    }

    @Test("what is remembered of an image is shown at once in its place, and the image doesn't fade in over it")
    func impression() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let (first, second) = (images.serve(1), images.serve(2))
        _ = try await images.pipeline.image(for: second)
        try await eventually { images.pipeline.impression(for: ImageRequest(url: second)) != nil }
        images.memory.removeAll()
        images.serve(2, gate: gate, fields: ["Cache-Control": "no-store"])
        let cell = FakeCell()
        cell.show(first, in: images.pipeline)
        try await cell.wait(for: 1)
        var request = ImageRequest(url: second)
        request.cachePolicy = .revalidate
        cell.show(request, in: images.pipeline)
        let impression = try #require(cell.display.image)
        #expect(impression.pixelSize.width <= 32 && cell.display.color != .number(1))
        #expect(cell.display.pointSize == CGSize(width: 32, height: 32))
        try await gate.waitUntilHeld()
        gate.open()
        try await eventually { cell.phases.last?.isSuccess == true }
        #expect(cell.display.color == .number(2) && cell.display.transition == .none)
    }

    @Test("the same image, set again, stays as it is")
    func sameAgain() async throws {
        let images = try ImageServer()
        let url = images.serve(1)
        let cell = FakeCell()
        cell.show(url, in: images.pipeline)
        try await cell.wait(for: 1)
        // Memory may have had it before the model.
        await settle(images.pipeline)
        let image = cell.display.image
        images.memory.removeAll()
        cell.display.forgetShows()
        cell.show(url, in: images.pipeline)
        #expect(cell.display.image === image)
        await settle(images.pipeline)
        #expect(cell.display.shows.allSatisfy { if case .pixels = $0.content { true } else { false } })
    }

    @Test("what the app has put into the view meanwhile gives way to the image")
    func overwritten() async throws {
        let images = try ImageServer()
        let url = images.serve(1)
        let cell = FakeCell()
        cell.show(url, in: images.pipeline)
        try await cell.wait(for: 1)
        cell.display.show(.platformImage("the app's own"), .none)
        cell.show(url, in: images.pipeline)
        #expect(cell.display.color == .number(1))
        cell.display.show(.platformImage("the app's own"), .none)
        cell.show(nil as ImageRequest?, in: images.pipeline)
        #expect(cell.display.name == "placeholder")
    }

    @Test("no URL shows the placeholder, and ends what is under way")
    func noImage() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let cell = FakeCell()
        cell.show(images.serve(1, gate: gate), in: images.pipeline)
        try await gate.waitUntilHeld()
        cell.show(nil as ImageRequest?, in: images.pipeline)
        #expect(cell.display.name == "placeholder")
        try await images.server.waitForClientToHangUp()
        await settle(images.pipeline)
        #expect(cell.display.name == "placeholder" && cell.failureCount == 0)
    }

    @Test("cancelling ends the wait, keeps what is shown, and is never told as a failure")
    func cancel() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let cell = FakeCell()
        cell.show(images.serve(1, gate: gate), in: images.pipeline)
        try await gate.waitUntilHeld()
        cell.loader.cancel()
        let told = cell.phases.count
        try await images.server.waitForClientToHangUp()
        await settle(images.pipeline)
        #expect(cell.display.name == "placeholder" && cell.phases.count == told && cell.failureCount == 0)
        // Neither layouts nor windows bring it back.
        cell.layOut(80)
        cell.move(inWindow: false)
        await settle(images.pipeline)
        cell.move(inWindow: true)
        await settle(images.pipeline)
        #expect(images.requestCount(1) == 1)

        let second = images.serve(2)
        cell.show(second, in: images.pipeline)
        try await cell.wait(for: 2)
        cell.loader.cancel()
        await settle(images.pipeline)
        #expect(cell.display.color == .number(2))
    }

    @Test("a view that is gone waits for nothing: its server sees it")
    func deallocation() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let url = images.serve(1, gate: gate)
        weak var gone: FakeCell.Loader?
        do {
            let cell = FakeCell()
            gone = cell.loader
            cell.show(url, in: images.pipeline)
            try await gate.waitUntilHeld()
        }
        #expect(gone == nil)
        try await images.server.waitForClientToHangUp()
        await settle(images.pipeline)
        #expect(images.pipeline.jobCounts == (0, 0, 0))
    }

    @Test("a failure shows the failure's image, and another try brings the real one")
    func failure() async throws {
        let images = try ImageServer()
        let url = images.server.url("/1")
        let cell = FakeCell()
        cell.show(url, in: images.pipeline) { $0.failureImage = "failure" }
        try await eventually { cell.display.name == "failure" }
        #expect(cell.phases.last?.error?.reason == .status(404) && cell.display.transition == .fade)
        images.serve(1)
        cell.loader.retry()
        #expect(cell.display.name == "placeholder")
        try await cell.wait(for: 1)
        #expect(cell.failureCount == 1 && cell.phases.last?.isSuccess == true)
    }

    @Test("without an image for it a failure leaves the placeholder")
    func plainFailure() async throws {
        let images = try ImageServer()
        let cell = FakeCell()
        cell.show(images.server.url("/none"), in: images.pipeline)
        try await eventually { cell.failureCount == 1 }
        #expect(cell.display.name == "placeholder")
    }

    @Test("an app that shows something else as it is told of a phase gets that")
    func reentrancy() async throws {
        let images = try ImageServer()
        let (first, second) = (images.serve(1), images.serve(2))
        let cell = FakeCell()
        cell.show(ImageRequest(url: first), in: images.pipeline) { appearance in
            appearance.onPhase = { [weak cell] phase in
                if phase.isSuccess { cell?.show(second, in: images.pipeline) }
            }
        }
        try await cell.wait(for: 2)
        await settle(images.pipeline)
        #expect(cell.display.color == .number(2))
    }

    @Test("an image in memory that is shown as a phase is told doesn't move, whatever the phase came with")
    func reentrancyWithoutMotion() async throws {
        let images = try ImageServer()
        let inMemory = images.serve(1)
        _ = try await images.pipeline.image(for: ImageRequest(url: inMemory, size: .points(40, 40, scale: 1, .fill)))
        let cell = FakeCell()
        cell.show(ImageRequest(url: images.server.url("/none")), in: images.pipeline) { appearance in
            appearance.onPhase = { [weak cell] phase in
                if phase.error != nil { cell?.show(inMemory, in: images.pipeline) }
            }
        }
        try await cell.wait(for: 1)
        #expect(cell.display.transition == .none)
    }

    @Test("an app may cancel, blank, lay out and let go as it is told of a phase")
    func reentrancyOfTheRest() async throws {
        let images = try ImageServer()
        let (first, second) = (images.serve(1), images.serve(2))
        for step in ["cancel", "blank", "layout", "window", "let go"] {
            var cell: FakeCell? = FakeCell()
            weak var loader: FakeCell.Loader?
            loader = cell?.loader
            var told: [String] = []
            cell?.show(ImageRequest(url: step == "blank" ? second : first), in: images.pipeline) { appearance in
                appearance.onPhase = { phase in
                    guard phase.isSuccess else { return }
                    told.append(step)
                    switch step {
                    case "cancel": cell?.loader.cancel()
                    case "blank": cell?.show(nil as ImageRequest?, in: images.pipeline)
                    case "layout": cell?.layOut(400)
                    case "window": cell?.move(inWindow: false)
                    default: cell = nil
                    }
                }
            }
            try await eventually { !told.isEmpty }
            await settle(images.pipeline)
            #expect(told.allSatisfy { $0 == step })
            switch step {
            case "blank": #expect(cell?.display.name == "placeholder" && told.count == 1)
            case "let go": #expect(loader == nil && told.count == 1)
            default: #expect(cell?.display.color == .number(1))
            }
            cell = nil
        }
        #expect(images.pipeline.jobCounts == (0, 0, 0))
    }

    @Test("what a partition has is blanked with it, and stays so through layouts, windows and returns")
    func partition() async throws {
        // Time stands still: nobody loses patience with the layout.
        let images = try ImageServer { $0.clock = ManualClock(now: Date()) }
        let gate = LoopbackServer.Gate()
        let (shown, held) = (images.serve(1), images.serve(2, gate: gate))
        let cells = (0..<3).map { _ in FakeCell() }
        func mine(_ url: URL) -> ImageRequest { ImageRequest(url: url, partition: "me") }
        cells[0].show(mine(shown), in: images.pipeline)
        try await cells[0].wait(for: 1)
        cells[1].show(mine(held), in: images.pipeline)
        try await gate.waitUntilHeld()
        // This one hasn't been laid out, and so hasn't begun.
        cells[2].display.room.width = 0
        cells[2].show(mine(shown), in: images.pipeline)
        let other = FakeCell()
        other.show(shown, in: images.pipeline)
        try await other.wait(for: 1)
        let requestCount = images.server.requestCount

        await images.pipeline.removePartition("me")
        for cell in cells { #expect(cell.display.name == "placeholder") }
        gate.open()
        for cell in cells {
            cell.layOut(200)
            cell.move(inWindow: false)
        }
        await settle(images.pipeline)
        for cell in cells { cell.move(inWindow: true) }
        await settle(images.pipeline)
        for cell in cells { #expect(cell.display.name == "placeholder" && cell.failureCount == 0) }
        #expect(other.display.color == .number(1))
        #expect(images.server.requestCount == requestCount)
    }

    @Test("a partition that is removed while its view is away isn't loaded when the view comes back")
    func partitionWhileAway() async throws {
        let images = try ImageServer()
        let cell = FakeCell()
        cell.show(ImageRequest(url: images.serve(1), partition: "me"), in: images.pipeline)
        try await cell.wait(for: 1)
        cell.move(inWindow: false)
        await settle(images.pipeline)
        #expect(cell.display.color == .number(1))
        await images.pipeline.removePartition("me")
        #expect(cell.display.name == "placeholder")
        cell.move(inWindow: true)
        await settle(images.pipeline)
        #expect(cell.display.name == "placeholder" && images.requestCount(1) == 1)
    }

    @Test("an outdated resource is loaded anew, and the old picture stays until the new one is there")
    func invalidation() async throws {
        let images = try ImageServer()
        let url = images.serve(1, at: "/picture")
        let cell = FakeCell()
        cell.show(url, in: images.pipeline)
        try await cell.wait(for: 1)
        images.serve(2, at: "/picture")
        cell.display.forgetShows()
        await images.pipeline.invalidate(ImageRequest(url: url).id)
        try await cell.wait(for: 2)
        #expect(cell.display.shows.allSatisfy { if case .pixels = $0.content { true } else { false } })
    }
}

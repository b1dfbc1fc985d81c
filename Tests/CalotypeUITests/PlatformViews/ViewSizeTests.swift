import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import Testing

@Suite("Image views: the size that is decoded")
@MainActor
struct ViewSizeTests {
    /// A photo of 1,200 by 900 pixels in a room.
    struct Case: Sendable, CustomTestStringConvertible {
        let room: ImageViewRoom
        let size: PixelSize
        var testDescription: String {
            "\(room.width) x \(room.height) points, \(room.mode), \(room.displayScale) pixels each: \(size)"
        }

        static func room(
            _ width: CGFloat, _ height: CGFloat, _ mode: ImageViewRoom.Mode, scale: CGFloat = 2
        ) -> ImageViewRoom {
            ImageViewRoom(width: width, height: height, mode: mode, displayScale: scale)
        }

        static let all = [
            Case(room: room(100, 100, .fill), size: PixelSize(267, 200)),
            Case(room: room(100, 100, .fit), size: PixelSize(200, 150)),
            Case(room: room(100, 100, .fit, scale: 3), size: PixelSize(300, 225)),
            Case(room: room(100, 100, .own), size: PixelSize(1_200, 900)),
            Case(room: room(1_000, 1_000, .fill), size: PixelSize(1_200, 900)),
            // A display that says nothing of its scale.
            Case(room: room(100, 100, .fit, scale: 0), size: PixelSize(100, 75)),
        ]
    }

    @Test("an image is decoded for the view's bounds, its content mode and its display's scale", arguments: Case.all)
    func modes(_ given: Case) async throws {
        let images = try ServedImages()
        let cell = FakeCell(given.room)
        cell.show(images.url, in: images.pipeline)
        try await eventually { cell.phases.last?.isSuccess == true }
        await settle(images.pipeline)
        #expect(images.decodedSizes == [given.size])
        // A layout that goes by the image's size sees that of its file.
        #expect(cell.display.pointSize == CGSize(width: 1_200, height: 900))
    }

    @Test("the size in points is that of the file by its scale, whatever has been decoded")
    func scale() async throws {
        let images = try ServedImages()
        let cell = FakeCell(Case.room(100, 100, .fill))
        cell.show(ImageRequest(url: images.url), in: images.pipeline) { $0.scale = 3 }
        try await eventually { cell.display.image != nil }
        #expect(cell.display.pointSize == CGSize(width: 400, height: 300))
    }

    @Test(
        "a button's image is as large in points as was asked for, or fits its bounds",
        arguments: [
            (ImageRequest.Size.points(24, 24, .fit), PixelSize(48, 36), CGSize(width: 24, height: 18)),
            (.automatic, PixelSize(80, 60), CGSize(width: 40, height: 30)),
            (.pixels(20, nil), PixelSize(20, 15), CGSize(width: 10, height: 7.5)),
        ])
    func button(size: ImageRequest.Size, pixels: PixelSize, points: CGSize) async throws {
        let images = try ServedImages()
        let cell = FakeCell(Case.room(40, 40, .fit))
        cell.display.sizesImagesAsRequested = true
        cell.show(ImageRequest(url: images.url, size: size), in: images.pipeline)
        try await eventually { cell.phases.last?.isSuccess == true }
        await settle(images.pipeline)
        #expect(images.decodedSizes == [pixels] && cell.display.pointSize == points)
        // Its preview is no smaller.
        let again = FakeCell(Case.room(200, 200, .fit))
        again.display.sizesImagesAsRequested = true
        again.show(ImageRequest(url: images.url, size: .points(100, 100, .fit)), in: images.pipeline)
        #expect(again.display.pointSize == CGSize(width: 100, height: 75))
    }

    @Test("a view that grows loads more pixels, and keeps those that it shows until they are there")
    func growth() async throws {
        let images = try ServedImages()
        let cell = FakeCell(Case.room(100, 100, .fill, scale: 1))
        cell.show(images.url, in: images.pipeline)
        try await eventually { cell.phases.last?.isSuccess == true }
        cell.display.forgetShows()
        cell.layOut(50)
        cell.layOut(100)
        await settle(images.pipeline)
        #expect(images.decodedSizes == [PixelSize(133, 100)])
        // In whole steps: both are loaded for 208.
        cell.layOut(195)
        cell.layOut(198)
        try await eventually { cell.display.image?.pixelSize == PixelSize(277, 208) }
        await settle(images.pipeline)
        #expect(images.decodedSizes == [PixelSize(133, 100), PixelSize(277, 208)])
        #expect(cell.display.shows.allSatisfy { if case .pixels = $0.content { true } else { false } })
        #expect(cell.display.transition == .none)
        // The bytes are there: only the first size was fetched.
        #expect(images.server.requestCount == 1)
    }

    @Test("a display with more pixels, or a mode that needs them, loads more as well")
    func scaleAndMode() async throws {
        let images = try ServedImages()
        let cell = FakeCell(Case.room(100, 100, .fit, scale: 1))
        cell.show(images.url, in: images.pipeline)
        try await eventually { cell.phases.last?.isSuccess == true }
        cell.display.room.displayScale = 2
        cell.loader.layoutChanged()
        try await eventually { cell.display.image?.pixelSize == PixelSize(208, 156) }
        cell.display.room.mode = .own
        cell.loader.layoutChanged()
        try await eventually { cell.display.image?.pixelSize == PixelSize(1_200, 900) }
    }

    @Test("a view that grows while its image is on its way asks for more, and the download is the same")
    func growthWhileLoading() async throws {
        let gate = LoopbackServer.Gate()
        let images = try ServedImages(gate: gate)
        let cell = FakeCell(Case.room(50, 50, .fill, scale: 1))
        cell.show(images.url, in: images.pipeline)
        try await gate.waitUntilHeld()
        cell.layOut(100)
        gate.open()
        try await eventually { cell.phases.last?.isSuccess == true }
        await settle(images.pipeline)
        #expect(images.server.requestCount == 1)
        #expect(cell.display.image?.pixelSize == PixelSize(139, 104))
    }

    @Test("a request's own size counts, and layouts change nothing; its points are the display's")
    func ownSize() async throws {
        let images = try ServedImages()
        let cell = FakeCell(Case.room(0, 0, .fill, scale: 2))
        cell.show(ImageRequest(url: images.url, size: .points(60, nil)), in: images.pipeline)
        try await eventually { cell.phases.last?.isSuccess == true }
        cell.layOut(500)
        await settle(images.pipeline)
        #expect(images.decodedSizes == [PixelSize(120, 90)])
    }

    // MARK: Before the first layout

    private func heldClock() throws -> (images: ImageServer, clock: ManualClock) {
        let clock = ManualClock(now: Date())
        return (try ImageServer { $0.clock = clock }, clock)
    }

    @Test("a view without a size waits for its layout, and loads once, for that")
    func layout() async throws {
        let (images, clock) = try heldClock()
        let url = images.serve(1, side: 400)
        let cell = FakeCell(Case.room(0, 0, .fill, scale: 1))
        cell.show(url, in: images.pipeline)
        #expect(cell.display.name == "placeholder")
        try await clock.waitForSleepers(count: 1)
        cell.loader.layoutChanged()
        #expect(images.server.requestCount == 0)
        cell.layOut(100)
        try await cell.wait(for: 1)
        #expect(cell.display.image?.pixelSize == PixelSize(100, 100))
        try await eventually { clock.sleeperCount == 0 }
        #expect(images.requestCount(1) == 1)
    }

    @Test("a view that isn't laid out in time is loaded for 1,024 pixels all the same")
    func noLayout() async throws {
        let (images, clock) = try heldClock()
        let url = images.serve(1, side: 2_000)
        let cell = FakeCell(Case.room(0, 0, .fill, scale: 2))
        cell.show(url, in: images.pipeline)
        try await clock.waitForSleepers(count: 1)
        #expect(clock.requestedSleeps == [FakeCell.Loader.layoutPatience])
        clock.advance(by: FakeCell.Loader.layoutPatience)
        try await cell.wait(for: 1)
        #expect(cell.display.image?.pixelSize == PixelSize(1_024, 1_024))
        cell.layOut(40)
        await settle(images.pipeline)
        #expect(cell.display.image?.pixelSize == PixelSize(1_024, 1_024))
    }

    @Test("a view without a size shows at once what memory has in any size")
    func memoryBeforeLayout() async throws {
        let (images, _) = try heldClock()
        let url = images.serve(1, side: 400)
        _ = try await images.pipeline.image(for: ImageRequest(url: url, size: .pixels(100, 100)))
        let cell = FakeCell(Case.room(0, 0, .fill, scale: 1))
        cell.show(url, in: images.pipeline)
        #expect(cell.display.image?.pixelSize == PixelSize(100, 100))
        cell.layOut(100)
        try await eventually { cell.phases.last?.isSuccess == true }
        #expect(images.requestCount(1) == 1)
    }

    @Test("a view that is cancelled, or shows something else, before its layout asks for nothing")
    func cancelledBeforeLayout() async throws {
        let (images, clock) = try heldClock()
        let (first, second) = (images.serve(1), images.serve(2))
        let cell = FakeCell(Case.room(0, 0, .fill, scale: 1))
        cell.show(first, in: images.pipeline)
        cell.loader.cancel()
        cell.layOut(100)
        cell.layOut(0)
        cell.show(first, in: images.pipeline)
        cell.show(second, in: images.pipeline)
        cell.layOut(100)
        try await cell.wait(for: 2)
        clock.advance(by: .seconds(1))
        await settle(images.pipeline)
        #expect(images.requestCount(1) == 0 && images.requestCount(2) == 1)
    }

    // MARK: Windows

    @Test("a view that leaves its window stops waiting, and goes on when it comes back")
    func window() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let url = images.serve(1, gate: gate)
        let cell = FakeCell()
        cell.show(url, in: images.pipeline)
        try await gate.waitUntilHeld()
        // To another place in the window.
        cell.move(inWindow: false)
        cell.move(inWindow: true)
        await takeTurns(5)
        #expect(images.requestCount(1) == 1 && images.pipeline.jobCounts.fetches == 1)
        cell.move(inWindow: false)
        try await images.server.waitForClientToHangUp()
        #expect(cell.failureCount == 0)
        gate.open()
        cell.move(inWindow: true)
        try await cell.wait(for: 1)
        #expect(images.requestCount(1) == 2)
    }

    @Test("a view that has never been in a window loads all the same, as a cell does that is prepared ahead")
    func noWindow() async throws {
        let images = try ImageServer()
        let cell = FakeCell()
        cell.display.isInWindow = false
        cell.show(images.serve(1), in: images.pipeline)
        cell.loader.windowChanged()
        try await cell.wait(for: 1)
        // Nobody would see it appear.
        #expect(cell.display.transition == .none)
    }
}

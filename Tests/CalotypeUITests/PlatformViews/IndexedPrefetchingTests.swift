import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import Synchronization
import Testing

@Suite("Lists that prefetch by places")
@MainActor
struct IndexedPrefetchingTests {
    /// What a list shows at each of its places, by numbers.
    @MainActor
    private final class List {
        var numbers: [Int]
        let images: ImageServer
        let gate = LoopbackServer.Gate()
        let outcomes = Outcomes()
        private(set) var urls: [URL] = []

        final class Outcomes: Sendable {
            private let cancelled = Mutex<[URL]>([])
            var cancelledURLs: [URL] { cancelled.withLock { $0 } }
            func note(_ outcome: ImagePrefetcher.Outcome) {
                guard case .cancelled = outcome.result, let url = outcome.request.url else { return }
                cancelled.withLock { $0.append(url) }
            }
        }

        init(_ numbers: [Int], held: Bool = true) throws {
            self.numbers = numbers
            images = try ImageServer { $0.prefetchLimit = 2 }
            urls = (0...numbers.max()!).map { images.serve($0, side: 200, gate: held ? gate : nil) }
        }

        func prefetching() -> IndexedPrefetching<Int> {
            IndexedPrefetching(
                pipeline: images.pipeline, to: .memory, onOutcome: { [outcomes] in outcomes.note($0) }
            ) { [unowned self] place in
                [ImageRequest(url: urls[numbers[place]], size: .points(50, 50))]
            }
        }
    }

    @Test("what a list asks for comes into memory in the size that its cells ask for, so that they find it")
    func fills() async throws {
        let list = try List([0, 1, 2, 3], held: false)
        let prefetching = list.prefetching()
        prefetching.prefetch([2, 0, 3], displayScale: 2)
        func isThere(_ number: Int) -> Bool {
            list.images.pipeline.contains(ImageRequest(url: list.urls[number], size: .pixels(100, 100)))
        }
        try await eventually { isThere(2) && isThere(0) && isThere(3) }
        #expect(list.images.requestCount(1) == 0)
        let cell = FakeCell(ImageViewRoom(width: 50, height: 50, mode: .fill, displayScale: 2))
        cell.show(list.urls[2], in: list.images.pipeline)
        #expect(cell.phases.first?.isSuccess == true && cell.display.image?.pixelSize == PixelSize(100, 100))
    }

    @Test("what the list doesn't want any more is stopped: what was started, whatever is there by now")
    func cancels() async throws {
        let list = try List([0, 1, 2, 3])
        let prefetching = list.prefetching()
        prefetching.prefetch([0, 1, 2, 3], displayScale: 1)
        try await list.gate.waitUntilHeld(count: 2)
        // A row has been inserted.
        list.numbers.insert(3, at: 0)
        prefetching.cancel([1, 2])
        let expected = Set([list.urls[1], list.urls[2]])
        try await eventually { Set(list.outcomes.cancelledURLs) == expected }
        try await list.images.server.waitForClientToHangUp()
        list.gate.open()
        try await eventually {
            [0, 3].allSatisfy {
                list.images.pipeline.contains(ImageRequest(url: list.urls[$0], size: .pixels(50, 50)))
            }
        }
        await settle(list.images.pipeline)
        #expect(!list.images.pipeline.contains(ImageRequest(url: list.urls[1], size: .pixels(50, 50))))
        #expect(list.images.requestCount(2) == 0)
    }

    @Test("an image that another place wants goes on; what is cancelled twice, or was never started, does no harm")
    func shared() async throws {
        let list = try List([0, 0, 1])
        let prefetching = list.prefetching()
        prefetching.prefetch([0, 1], displayScale: 1)
        prefetching.prefetch([0], displayScale: 1)
        try await list.gate.waitUntilHeld(count: 1)
        prefetching.cancel([0, 0, 2])
        await takeTurns(20)
        #expect(list.outcomes.cancelledURLs.isEmpty)
        prefetching.cancel([1])
        try await eventually { list.outcomes.cancelledURLs == [list.urls[0]] }
    }

    @Test("a cell that comes into view joins what is under way, and keeps it when the list stops it")
    func joins() async throws {
        let list = try List([0])
        let prefetching = list.prefetching()
        prefetching.prefetch([0], displayScale: 1)
        try await list.gate.waitUntilHeld()
        let cell = FakeCell(ImageViewRoom(width: 50, height: 50, mode: .fill, displayScale: 1))
        cell.show(list.urls[0], in: list.images.pipeline)
        await takeTurns(20)
        prefetching.cancel([0])
        list.gate.open()
        try await cell.wait(for: 0)
        #expect(list.images.requestCount(0) == 1)
    }

    @Test("places are forgotten once all has come, and everything stops when the list's prefetching is let go")
    func lifetime() async throws {
        let list = try List([0, 1, 2])
        var prefetching: IndexedPrefetching<Int>? = list.prefetching()
        prefetching?.prefetch([0, 1], displayScale: 1)
        #expect(prefetching?.startedCount == 2)
        try await list.gate.waitUntilHeld(count: 2)
        list.gate.open()
        await settle(list.images.pipeline)
        try await eventually {
            prefetching?.prefetch([], displayScale: 1)
            return prefetching?.startedCount == 0
        }
        let gate = LoopbackServer.Gate()
        list.images.serve(2, side: 200, gate: gate)
        prefetching?.prefetch([2], displayScale: 1)
        try await gate.waitUntilHeld()
        prefetching = nil
        try await eventually { list.outcomes.cancelledURLs == [list.urls[2]] }
    }
}

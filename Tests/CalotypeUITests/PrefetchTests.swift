import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

@Suite("Prefetching for a list")
@MainActor
struct PrefetchTests {
    @Test("the list's prefetch and its rows share a request for each image")
    func shares() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let urls = (0..<20).map { images.serve($0, side: 100, gate: gate) }
        let host = ViewHost {
            List(urls, id: \.self) { Thumbnail(url: $0) }
                .prefetchImages(urls, size: .points(88, 88))
                .imagePipeline(images.pipeline)
        }
        try await gate.waitUntilHeld(count: 6)
        gate.open()
        try await host.next { $0.isComplete }
        try await images.server.waitForRequests(count: urls.count)
        await images.pipeline.waitUntilIdle()
        let log = FrameLog(host)
        for offset in stride(from: 0, through: host.scrollLimit, by: 200) {
            try host.scroll(to: offset)
            host.render()
            #expect(host.frame.isComplete)
        }
        #expect(log.placeholderCount == 0)
        #expect(images.server.requestCount == urls.count)
    }

    @Test("a row that leaves ends its own wait alone: what is prefetched goes on")
    func rowsLeave() async throws {
        let images = try ImageServer { $0.prefetchLimit = 20 }
        let gate = LoopbackServer.Gate()
        let urls = (0..<20).map { images.serve($0, side: 100, gate: gate) }
        let host = ViewHost {
            List(urls, id: \.self) { Thumbnail(url: $0) }
                .prefetchImages(Array(urls[..<2]), size: .points(88, 88))
                .imagePipeline(images.pipeline)
        }
        // The rows of the first screen, two of which are prefetched as well.
        try await gate.waitUntilHeld(count: 6)
        try host.scroll(to: host.scrollLimit)
        host.render()
        // A server has six connections: four of the next rows got those of the rows that nobody waits for any more.
        try await images.server.waitForRequests(count: 10)
        gate.open()
        try await host.next { $0.isComplete }
        await images.pipeline.waitUntilIdle()
        func isCached(_ number: Int) -> Bool {
            images.pipeline.contains(ImageRequest(url: urls[number], size: .pixels(88, 88)))
        }
        #expect(isCached(0) && isCached(1) && !isCached(2) && !isCached(3) && isCached(19))
        #expect(images.requestCount(0) == 1 && images.requestCount(1) == 1)
    }

    @Test("a changed list stops what is gone and goes on with what stays; disappearance stops all, return begins again")
    func changes() async throws {
        let images = try ImageServer { $0.prefetchLimit = 20 }
        let gate = LoopbackServer.Gate()
        let urls = (0..<6).map { images.serve($0, gate: gate) }
        func view(_ numbers: [Int], isShown: Bool = true) -> some View {
            VStack {
                if isShown { Text("list").prefetchImages(numbers.map { urls[$0] }, size: .pixels(32, 32)) }
            }
            .imagePipeline(images.pipeline)
        }
        let host = ViewHost { view([0, 1, 2]) }
        try await gate.waitUntilHeld(count: 3)
        #expect(images.pipeline.jobCounts.renditions == 3)
        host.update { view([1, 2, 3]) }
        try await images.server.nextRequest(to: "/3")
        #expect(images.pipeline.jobCounts.renditions == 3)
        #expect((0...3).map(images.requestCount) == [1, 1, 1, 1])

        host.update { view([1, 2, 3], isShown: false) }
        host.render()
        await images.pipeline.waitUntilIdle()
        #expect(images.pipeline.jobCounts == (0, 0, 0) && images.memory.totalCost == 0)

        gate.open()
        host.update { view([1, 2, 3]) }
        host.render()
        // Asked for once more: what was stopped had brought nothing.
        try await images.server.waitForRequests(count: 7)
        await images.pipeline.waitUntilIdle()
        #expect((1...3).allSatisfy { images.pipeline.contains(ImageRequest(url: urls[$0], size: .pixels(32, 32))) })
        #expect(!images.pipeline.contains(ImageRequest(url: urls[0], size: .pixels(32, 32))))
    }

    @Test("a list that is evaluated again with the same images begins nothing anew; another partition does")
    func equalList() async throws {
        let images = try ImageServer()
        let urls = (0..<3).map { images.serve($0) }
        func view(_ partition: Partition?) -> some View {
            Text("list").prefetchImages(urls, size: .pixels(32, 32)).remoteImagePartition(partition)
                .imagePipeline(images.pipeline)
        }
        let host = ViewHost { view(nil) }
        try await images.server.waitForRequests(count: 3)
        for _ in 0..<5 {
            host.reevaluate()
            await host.settle()
        }
        await images.pipeline.waitUntilIdle()
        #expect(images.server.requestCount == 3)
        host.update { view("account") }
        try await images.server.waitForRequests(count: 6)
        await images.pipeline.waitUntilIdle()
        #expect(images.server.requestCount == 6)
    }
}

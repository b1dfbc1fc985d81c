import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Synchronization
import Testing
import ViewHost

@Suite("Accounts")
@MainActor
struct PartitionTests {
    private struct Avatars: View {
        let mine: [URL]
        let others: [URL]

        var body: some View {
            VStack(spacing: 0) {
                ForEach(mine, id: \.self) { RetryThumbnail(url: $0, side: 40) }.remoteImagePartition("me")
                ForEach(others, id: \.self) { RetryThumbnail(url: $0, side: 40) }.remoteImagePartition("you")
            }
        }
    }

    @Test("signing out blanks what is shown and what is under way of that account, and nothing returns")
    func signOut() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let mine = (0..<3).map { images.serve($0) } + (3..<6).map { images.serve($0, gate: gate) }
        let others = (6..<8).map { images.serve($0) } + (8..<9).map { images.serve($0, gate: gate) }
        let host = ViewHost { Avatars(mine: mine, others: others).imagePipeline(images.pipeline) }
        try await host.next { frame in
            (mine[..<3] + others[..<2]).allSatisfy { !frame.images(id: $0).isEmpty }
        }
        try await gate.waitUntilHeld(count: 4)
        let requestCount = images.server.requestCount

        await images.pipeline.removePartition("me")
        host.render()
        let log = FrameLog(host)
        func expectBlank(_ frame: Frame) {
            #expect(mine.allSatisfy { frame.images(id: $0).isEmpty && frame.texts(id: $0).isEmpty })
            #expect(others[..<2].allSatisfy { frame.images(id: $0).count == 1 })
        }
        expectBlank(host.frame)
        gate.open()
        try await host.next { frame in others.allSatisfy { !frame.images(id: $0).isEmpty } }
        // Neither another evaluation nor another layout brings them back.
        host.reevaluate()
        await host.settle()
        host.resize(CGSize(width: 600, height: 900))
        await host.settle()
        await images.pipeline.waitUntilIdle()
        await host.settle()
        for frame in log.frames + [host.frame] { expectBlank(frame) }
        #expect(images.server.requestCount == requestCount)
    }

    @Test(
        "signing out while rows come and go leaves no pixels of that account", arguments: [1, 2, 3, 4] as [UInt64])
    func signOutWhileScrolling(seed: UInt64) async throws {
        let images = try ImageServer()
        let urls = (0..<24).map { images.serve($0) }
        var random = SeededGenerator(seed: seed)
        var settings = ViewHost.Settings()
        settings.seed = seed
        settings.keepsStateOfRows = seed.isMultiple(of: 2)
        let host = ViewHost(settings: settings) {
            List(urls, id: \.self) { Thumbnail(url: $0) }.remoteImagePartition("me").imagePipeline(images.pipeline)
        }
        for _ in 0..<Int.random(in: 3...10, using: &random) {
            try host.scroll(to: CGFloat.random(in: 0...host.scrollLimit, using: &random))
            for _ in 0..<Int.random(in: 0...40, using: &random) { await Task.yield() }
        }
        await host.settle()
        await images.pipeline.removePartition("me")
        host.render()
        #expect(host.frame.images.isEmpty)
        await images.pipeline.waitUntilIdle()
        await host.settle()
        #expect(host.frame.images.isEmpty && images.memory.totalCost == 0)
    }

    @Test("a new token neither reloads nor flashes an avatar")
    func tokenInRequest() async throws {
        let images = try ImageServer()
        let url = images.serve(1)
        func avatar(_ token: String) -> some View {
            var request = URLRequest(url: url)
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            return CachedAsyncImage(request: request) { image in
                image.resizable()
            } placeholder: {
                ProgressView()
            }
            .frame(width: 100, height: 100)
            .remoteImagePartition("me")
            .imagePipeline(images.pipeline)
        }
        let host = ViewHost { avatar("first") }
        try await host.next { $0.isComplete }
        let log = FrameLog(host)
        for token in ["second", "third"] {
            host.update { avatar(token) }
            await host.settle()
        }
        #expect(log.frames.count >= 2 && log.frames.allSatisfy { $0.isComplete })
        #expect(images.server.requests.map { $0.fields["Authorization"] } == ["Bearer first"])
    }

    @Test("a pipeline that signs with a new token neither reloads nor flashes an avatar; what comes is signed with it")
    func tokenOfPipeline() async throws {
        let token = Token()
        let images = try ImageServer { configuration in
            configuration.authorize = { request in
                var request = request
                request.setValue("Bearer \(token.value)", forHTTPHeaderField: "Authorization")
                return request
            }
        }
        let urls = (1...2).map { images.serve($0) }
        func avatar(_ url: URL) -> some View {
            Thumbnail(url: url, side: 100).remoteImagePartition("me").imagePipeline(images.pipeline)
        }
        let host = ViewHost { avatar(urls[0]) }
        try await host.next { $0.isComplete }
        let log = FrameLog(host)
        token.value = "second"
        host.update { avatar(urls[0]) }
        await host.settle()
        #expect(log.frames.allSatisfy { $0.isComplete } && images.server.requestCount == 1)
        host.update { avatar(urls[1]) }
        try await host.next { $0.images.first?.color == .number(2) }
        #expect(images.server.requests.map { $0.fields["Authorization"] } == ["Bearer first", "Bearer second"])
    }

    private final class Token: Sendable {
        private let state = Mutex("first")
        var value: String {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    @Test("another account's image is never shown for the same URL")
    func switchesAccounts() async throws {
        let images = try ImageServer()
        let url = images.serve(1)
        func avatar(_ account: Partition) -> some View {
            Thumbnail(url: url).remoteImagePartition(account).imagePipeline(images.pipeline)
        }
        let host = ViewHost { avatar("me") }
        try await host.next { $0.isComplete }
        host.update { avatar("you") }
        host.render()
        #expect(host.frame.images.isEmpty)
        try await host.next { $0.isComplete }
        #expect(images.server.requestCount == 2)
    }
}

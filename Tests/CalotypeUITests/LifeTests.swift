import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

@Suite("A view's life")
@MainActor
struct LifeTests {
    @MainActor
    private final class Withholding {
        var isOn = false
    }

    @Test("a view whose appearance and task are never told loads all the same, and follows its URL")
    func withheld() async throws {
        let images = try ImageServer()
        let urls = (0..<2).map { images.serve($0) }
        var settings = ViewHost.Settings()
        settings.withholds = { _, _ in true }
        let host = ViewHost(settings: settings) { Thumbnail(url: urls[0]).imagePipeline(images.pipeline) }
        try await host.next { $0.images.first?.color == .number(0) }
        host.update { Thumbnail(url: urls[1]).imagePipeline(images.pipeline) }
        try await host.next { $0.images.first?.color == .number(1) }
        #expect(images.server.requestCount == 2)
    }

    @Test("a row whose return is never told loads what has been evicted meanwhile")
    func returnWithheld() async throws {
        let images = try ImageServer { $0.impressions = nil }
        let urls = (0..<12).map { images.serve($0) }
        var settings = ViewHost.Settings()
        settings.keepsStateOfRows = true
        let withholding = Withholding()
        settings.withholds = { event, _ in withholding.isOn && event != .disappear }
        let host = ViewHost(settings: settings) {
            List(urls, id: \.self) { Thumbnail(url: $0) }.imagePipeline(images.pipeline)
        }
        try await host.next { $0.isComplete }
        try host.scroll(to: host.scrollLimit)
        try await host.next { $0.isComplete }
        await images.pipeline.waitUntilIdle()
        images.memory.removeAll()
        withholding.isOn = true
        try host.scroll(to: 0)
        host.render()
        #expect(host.frame.showsProgress)
        try await host.next { $0.isComplete }
    }

    @Test("a view that is withheld every event and then removed leaves nothing behind")
    func withheldAndRemoved() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let url = images.serve(0, gate: gate)
        var settings = ViewHost.Settings()
        settings.withholds = { _, _ in true }
        let host = ViewHost(settings: settings) { Thumbnail(url: url).imagePipeline(images.pipeline) }
        try await gate.waitUntilHeld()
        host.close()
        host.render()
        await images.pipeline.waitUntilIdle()
        #expect(images.pipeline.jobCounts == (0, 0, 0))
    }

    @Test("a parent that is evaluated again with an equal request begins nothing anew", arguments: [false, true])
    func equalRequest(isLoaded: Bool) async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let url = images.serve(0, gate: gate)
        let host = ViewHost { Thumbnail(url: url).imagePipeline(images.pipeline) }
        try await gate.waitUntilHeld()
        if isLoaded {
            gate.open()
            try await host.next { $0.isComplete }
        }
        for _ in 0..<10 {
            host.reevaluate()
            await host.settle()
            #expect(host.frame.showsProgress == !isLoaded)
        }
        gate.open()
        try await host.next { $0.isComplete }
        #expect(images.server.requestCount == 1 && images.server.connectionCount <= 1)
        #expect(images.pipeline.jobCounts.renditions == 0)
    }

    @Test("a URL that comes late, and is another one then, is followed to the last")
    func lateURL() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let first = images.serve(0, gate: gate)
        let second = images.serve(1)
        func view(_ url: URL?) -> some View { Thumbnail(url: url).imagePipeline(images.pipeline) }
        let host = ViewHost { view(nil) }
        await host.settle()
        #expect(host.frame.showsProgress && images.server.requestCount == 0)
        let log = FrameLog(host)
        host.update { view(first) }
        try await gate.waitUntilHeld()
        host.update { view(second) }
        try await host.next { $0.isComplete }
        gate.open()
        await images.pipeline.waitUntilIdle()
        await host.settle()
        #expect(log.frames.allSatisfy { $0.images.allSatisfy { $0.color == .number(1) } })
        #expect(host.frame.images.map(\.color) == [.number(1)])
        host.update { view(nil) }
        host.render()
        #expect(host.frame.images.isEmpty && host.frame.showsProgress)
        // The last one wins, within a turn as well.
        for url in [first, nil, second, first, second] {
            host.update { view(url) }
            host.render()
        }
        try await host.next { $0.images.first?.color == .number(1) }
        await host.settle()
        #expect(host.frame.images.map(\.color) == [.number(1)])
    }

    @Test(
        "a row that leaves and returns within a frame, or in the next one, goes on with its load",
        arguments: [false, true])
    func leavesAndReturns(inNextFrame: Bool) async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let urls = (0..<30).map { images.serve($0, gate: gate) }
        for keepsState in [false, true] {
            var settings = ViewHost.Settings()
            settings.keepsStateOfRows = keepsState
            let host = ViewHost(size: CGSize(width: 320, height: 88), settings: settings) {
                List(urls, id: \.self) { Thumbnail(url: $0) }.imagePipeline(images.pipeline)
            }
            // At first its request is held; then the image is in memory.
            if keepsState { await host.settle() } else { try await images.server.nextRequest(to: "/0") }
            let log = FrameLog(host)
            try host.scroll(to: host.scrollLimit)
            if inNextFrame { host.render() }
            try host.scroll(to: 0)
            host.render()
            gate.open()
            try await host.next { $0.images.first?.color == .number(0) }
            #expect(log.frames.allSatisfy { $0.elements.allSatisfy { $0.text == nil } })
            host.close()
        }
        // Who has left for a frame has stopped waiting, unless it is back before its task has heard of that.
        #expect((1...(inNextFrame ? 2 : 1)).contains(images.requestCount(0)))
    }

    @Test("cancellation shows what was there before, never the failure")
    func cancellation() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let urls = (0..<20).map { images.serve($0, gate: gate) }
        var settings = ViewHost.Settings()
        settings.keepsStateOfRows = true
        let host = ViewHost(settings: settings) {
            List(urls, id: \.self) { RetryThumbnail(url: $0) }.imagePipeline(images.pipeline)
        }
        let log = FrameLog(host)
        for _ in 0..<5 {
            for offset in [host.scrollLimit, 0] {
                try await gate.waitUntilHeld()
                try host.scroll(to: offset)
                await host.settle()
                await images.pipeline.removeAll()
                await host.settle()
            }
        }
        gate.open()
        try await host.next { $0.isComplete }
        #expect(log.frames.allSatisfy { $0.texts.isEmpty })
    }
}

@Suite("After a failure")
@MainActor
struct FailureTests {
    private func fails(_ images: ImageServer, _ number: Int, times: Int) -> URL {
        let data = TestImages.solidPNG(width: 32, height: 32, color: .number(number))
        let failures = Array(repeating: LoopbackServer.Response(status: 404), count: times)
        images.server.respond(to: "/\(number)", with: failures + [.ok(data, type: "image/png")])
        return images.server.url("/\(number)")
    }

    @Test("one tap makes one more request; two in one turn, one")
    func retry() async throws {
        let images = try ImageServer()
        let url = fails(images, 1, times: 2)
        let host = ViewHost { RetryThumbnail(url: url).imagePipeline(images.pipeline) }
        try await host.next { $0.button("Retry") != nil }
        #expect(host.frame.texts.first == "\(ImageError.Reason.status(404))")
        try host.tap("Retry")
        try host.tap("Retry")
        host.render()
        #expect(host.frame.showsProgress && host.frame.button("Retry") == nil)
        try await host.next { $0.button("Retry") != nil }
        #expect(images.server.requestCount == 2)
        try host.tap("Retry")
        try await host.next { $0.isComplete }
        await host.settle()
        #expect(images.server.requestCount == 3)
    }

    @Test("another try is made with the credentials of the last evaluation")
    func retryWithNewCredentials() async throws {
        let images = try ImageServer()
        let data = TestImages.solidPNG(width: 32, height: 32, color: .number(1))
        images.server.route("/1") { request in
            request.fields["Authorization"] == "Bearer new" ? .ok(data, type: "image/png") : .init(status: 401)
        }
        func view(_ token: String) -> some View {
            var request = URLRequest(url: images.server.url("/1"))
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            return CachedAsyncImage(request: request) { phase in
                if let image = phase.image { image } else { Text(verbatim: phase.error == nil ? "wait" : "failed") }
            }
            .remoteImagePartition("account").imagePipeline(images.pipeline)
        }
        let host = ViewHost { view("old") }
        try await host.next { $0.texts == ["failed"] }
        host.update { view("new") }
        await host.settle()
        #expect(host.frame.texts == ["failed"] && images.server.requestCount == 1)
        await images.pipeline.invalidate(ResourceID(url: images.server.url("/1")))
        try await host.next { !$0.images.isEmpty }
        #expect(images.server.requestCount == 2)
    }

    @Test("a row that leaves and returns tries again", arguments: [false, true])
    func returns(keepsState: Bool) async throws {
        let images = try ImageServer()
        let urls = [fails(images, 0, times: 1)] + (1..<20).map { images.serve($0) }
        var settings = ViewHost.Settings()
        settings.keepsStateOfRows = keepsState
        let host = ViewHost(settings: settings) {
            List(urls, id: \.self) { RetryThumbnail(url: $0) }.imagePipeline(images.pipeline)
        }
        try await host.next { $0.button("Retry") != nil && !$0.showsProgress }
        try host.scroll(to: host.scrollLimit)
        try await host.next { $0.isComplete }
        let log = FrameLog(host)
        try host.scroll(to: 0)
        try await host.next { $0.isComplete && $0.images(id: urls[0]).first?.color == .number(0) }
        #expect(log.frames.allSatisfy { $0.button("Retry") == nil }, "It begins anew, without its former failure.")
        #expect(images.requestCount(0) == 2)
    }
}

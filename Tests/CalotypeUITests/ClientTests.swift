import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import MainActorClient
import Swift5Client
import SwiftUI
import Testing
import ViewHost

/// Modules with other settings than this package's: they compile, and run without a trap where isolation is checked.
@Suite("Clients' isolation")
@MainActor
struct ClientTests {
    private func run(
        _ pipeline: ImagePipeline, counter: () -> Int, _ screen: @escaping @MainActor (URL, URL) -> some View
    ) async throws {
        let server = try LoopbackServer()
        server.respond(to: "/a.png", with: .ok(ServedImages.file(width: 300, height: 200), type: "image/png"))
        server.fallback { _ in .status(404) }
        let (url, missing) = (server.url("/a.png"), server.url("/missing.png"))
        let host = ViewHost { screen(url, missing).imagePipeline(pipeline) }
        try await host.next { $0.images.count == 2 && $0.button("Retry") != nil }
        try host.tap("Retry")
        try await host.next { $0.button("Retry") == nil }
        try await host.next { $0.button("Retry") != nil }
        try host.tap("Load")
        try await host.next { $0.texts.contains("300 x 200") }
        host.advance(by: .seconds(1))
        host.resize(CGSize(width: 500, height: 500))
        host.render()
        #expect(server.requests.allSatisfy { $0.fields["X-Signed"] == "yes" })
        #expect(server.requests(to: "/missing.png").count == 2)
        // Each request was signed, and each load's end was told.
        #expect(counter() >= server.requestCount + 3)
        host.close()
        await pipeline.waitUntilIdle()
    }

    @Test("a client in the Swift 5 mode runs without a trap")
    func swift5() async throws {
        let counter = Swift5Counter()
        try await run(.swift5Client(counter: counter), counter: { counter.count }) {
            Swift5Screen(url: $0, missing: $1)
        }
    }

    @Test("a client that is on the main actor by default runs without a trap")
    func mainActor() async throws {
        let counter = MainActorCounter()
        try await run(.mainActorClient(counter: counter), counter: { counter.count }) {
            MainActorScreen(url: $0, missing: $1)
        }
    }

    private static let callbacks: Set = [
        "authorize", "custom", "data", "decode", "frame", "now", "observe", "onChange", "onEvent", "onOutcome",
        "random",
        "send", "sleep", "status", "supports", "update", "updates",
    ]

    @Test("closures and types of one in the Swift 5 mode are called where they may run")
    func swift5Calls() async throws {
        let called = try await Swift5Client.callEverything(file: ServedImages.file(width: 60, height: 40))
        #expect(called.subtracting(["onEnd"]) == Self.callbacks)
    }

    @Test("closures and types of one on the main actor are called where they may run")
    func mainActorCalls() async throws {
        let called = try await MainActorClient.callEverything(file: ServedImages.file(width: 60, height: 40))
        #expect(called.subtracting(["onEnd"]) == Self.callbacks)
    }
}

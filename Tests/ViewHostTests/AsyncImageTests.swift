import SwiftUI
import Testing
import ViewHost

/// Counts loads, and answers when told to.
@MainActor
private final class Loads {
    private(set) var count = 0
    var error: URLError?

    var environment: EnvironmentValues {
        var values = EnvironmentValues()
        values.asyncImageLoader = AsyncImageLoader { [self] request, _ in
            try await load(request)
        }
        return values
    }

    private func load(_ request: URLRequest) async throws -> Image {
        count += 1
        if let error { throw error }
        return .fixture(request.url?.lastPathComponent ?? "", width: 40, height: 20)
    }
}

@Suite("AsyncImage's rules")
@MainActor
struct AsyncImageTests {
    private let url = URL(string: "https://example.com/a.png")

    @Test("the placeholder is the first frame, then comes the image")
    func loads() async throws {
        let loads = Loads()
        let host = ViewHost(environment: loads.environment) {
            AsyncImage(url: url) {
                $0.resizable()
            } placeholder: {
                ProgressView()
            }
        }
        #expect(host.frame.showsProgress)
        let frame = try await host.next { !$0.images.isEmpty }
        #expect(frame.images.first?.payload as? String == "a.png")
    }

    @Test("a row that comes back loads again, and flashes")
    func comesBack() async throws {
        let loads = Loads()
        let host = ViewHost(size: CGSize(width: 100, height: 100), environment: loads.environment) {
            List(0..<20) { row in
                AsyncImage(url: URL(string: "https://example.com/\(row)")) {
                    $0.resizable()
                } placeholder: {
                    Color.gray
                }
                .frame(height: 100)
            }
        }
        try await host.next { $0.images(id: 0).count == 1 }
        try host.scroll(to: 1000)
        try await host.next { $0.images(id: 10).count == 1 }
        try host.scroll(to: 0)
        #expect(host.render().images(id: 0).isEmpty)
        try await host.next { $0.images(id: 0).count == 1 }
        #expect(loads.count == 3)
    }

    @Test("a failure is a phase, and nil stays empty")
    func failure() async throws {
        let loads = Loads()
        loads.error = URLError(.badServerResponse)
        let host = ViewHost(environment: loads.environment) {
            AsyncImage(url: url) { Text($0.error == nil ? "empty" : "failed") }
            AsyncImage(url: nil) { Text($0.error == nil ? "nil" : "failed") }
        }
        #expect(host.frame.texts == ["empty", "nil"])
        try await host.next { $0.texts == ["failed", "nil"] }
        #expect(loads.count == 1)
    }
}

@Suite("Timelines")
@MainActor
struct TimelineTests {
    private func view(paused: Bool) -> some View {
        TimelineView(.animation(minimumInterval: 0.1, paused: paused)) { context in
            Text("\(Int((context.date.timeIntervalSinceReferenceDate * 10).rounded()))")
        }
    }

    @Test("a timeline follows the host's clock, no faster than its interval")
    func follows() {
        let host = ViewHost(rendering: .manual) { view(paused: false) }
        #expect(host.frame.texts == ["0"])
        host.advance(by: .milliseconds(50))
        #expect(host.render().number == 1)
        host.advance(by: .milliseconds(60))
        #expect(host.render().texts == ["1"])
        host.advance(by: .milliseconds(500))
        #expect(host.render().texts == ["6"])
    }

    @Test("a paused timeline stands still")
    func pauses() {
        let host = ViewHost(rendering: .manual) { view(paused: true) }
        host.advance(by: .seconds(5))
        #expect(host.render().number == 1)
    }
}

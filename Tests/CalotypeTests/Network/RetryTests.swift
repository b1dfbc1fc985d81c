import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Retry: what may go well the next time is attempted again, after a wait, and nothing else is")
struct RetryTests {
    static let url = URL(string: "http://img.example.com/a.png")!
    static let png = TestImages.solidPNG(width: 8, height: 8, color: .green)
    static let policy = RetryPolicy(attemptLimit: 3, baseDelay: .milliseconds(500), longestRetryAfter: .seconds(30))
    static let now = Date(timeIntervalSince1970: 1_735_689_600)

    /// A pipeline whose waits are the longest that the policy allows.
    private func fixture(
        _ steps: [ScriptedTransport.Step], _ policy: RetryPolicy = policy
    ) throws -> (Fixture, ScriptedTransport) {
        let transport = ScriptedTransport(steps)
        let fixture = try Fixture {
            $0.transport = transport
            $0.retry = policy
        }
        fixture.clock.set(to: Self.now)
        return (fixture, transport)
    }

    /// Lets time pass, sleep by sleep.
    private func pass(_ waits: [Duration], _ clock: ManualClock) async throws {
        for wait in waits {
            try await clock.waitForSleepers(count: 1)
            clock.advance(by: wait)
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let title: String
        let step: ScriptedTransport.Step
        let reason: ImageError.Reason
        let waits: [Duration]

        var testDescription: String { title }

        static let backoff: [Duration] = [.milliseconds(500), .seconds(1)]

        static func code(
            _ title: String, _ code: HTTPTransportError.Code, _ reason: ImageError.Reason, _ waits: [Duration] = backoff
        ) -> Row {
            Row(title: title, step: .fail(code), reason: reason, waits: waits)
        }

        static func status(_ status: Int, _ waits: [Duration] = backoff, retryAfter: String? = nil) -> Row {
            var fields = HTTPFields()
            fields["Retry-After"] = retryAfter
            return Row(
                title: "\(status)\(retryAfter.map { ", Retry-After: \($0)" } ?? "")", step: .respond(status, fields),
                reason: .status(status), waits: waits)
        }

        static let retried: [Row] = [
            code("a time-out", .timedOut, .timedOut),
            code("a lost connection", .connectionLost, .connectionLost),
            code("a refused connection", .cannotConnect, .cannotConnect),
            code(
                "an early end", .truncated(received: 0, expected: nil), .truncated(received: 0, expected: nil)),
            status(408), status(429), status(500), status(502), status(503), status(504),
            // What the server asks for comes on top.
            status(429, [.milliseconds(2_500), .seconds(3)], retryAfter: "2"),
            status(503, [.milliseconds(30_500), .seconds(31)], retryAfter: "30"),
            status(503, [.milliseconds(500), .seconds(1)], retryAfter: "0"),
            // The second time that date has passed.
            status(429, [.milliseconds(5_500), .seconds(1)], retryAfter: "Wed, 01 Jan 2025 00:00:05 GMT"),
            status(503, retryAfter: "Tue, 31 Dec 2024 23:59:59 GMT"),
            status(503, retryAfter: "soon"),
        ]

        static let refused: [Row] = [
            status(400, []), status(401, []), status(403, []), status(404, []), status(410, []), status(416, []),
            status(501, []), status(505, []),
            status(503, [], retryAfter: "31"), status(429, [], retryAfter: "Wed, 01 Jan 2025 00:00:31 GMT"),
            code("TLS", .secureConnectionFailed, .secureConnectionFailed, []),
            code("no HTTP", .malformedResponse, .malformedResponse, []),
            code("a name without an address", .hostNotFound, .hostNotFound, []),
            code(
                "a URL without a host", .invalidURL,
                .invalidRequest("the URL has no host, or isn't well-formed. Correct it"), []),
            code("another fault", .other, .transport, []),
            Row(
                title: "a page", step: .respond(200, ["Content-Type": "text/html"], Data("<p>".utf8)),
                reason: .contentType("text/html"), waits: []),
            Row(title: "no image", step: .respond(200, [:], Data("hello there".utf8)), reason: .notAnImage, waits: []),
            Row(
                title: "an unsafe redirect", step: .respond(302, ["Location": "file:///etc/passwd"]),
                reason: .unsafeRedirect(scheme: "file"), waits: []),
        ]
    }

    @Test("a failure that may pass is attempted three times, and then it is the caller's", arguments: Row.retried)
    func retried(_ row: Row) async throws {
        let (fixture, transport) = try fixture([row.step])
        async let reason = failure { try await fixture.pipeline.image(for: Self.url) }
        try await pass(row.waits, fixture.clock)
        #expect(await reason == row.reason)
        #expect(transport.requests.count == 3)
        #expect(fixture.clock.requestedSleeps == row.waits)
        let retries = fixture.events.all.compactMap { event -> (Int, ImageError.Reason, Duration)? in
            guard case .retrying(_, let error, let attempt, let delay) = event else { return nil }
            #expect(error.source?.description == "http://img.example.com")
            return (attempt, error.reason, delay)
        }
        #expect(retries.map(\.0) == [2, 3])
        #expect(retries.map(\.1) == [row.reason, row.reason])
        #expect(retries.map(\.2) == row.waits)
    }

    @Test("a failure that won't pass is the caller's at once", arguments: Row.refused)
    func refused(_ row: Row) async throws {
        let (fixture, transport) = try fixture([row.step])
        #expect(await failure { try await fixture.pipeline.image(for: Self.url) } == row.reason)
        #expect(transport.requests.count == 1)
        #expect(fixture.clock.requestedSleeps == [])
    }

    @Test("what fails first and then goes well is an image, and the report counts the failures")
    func recovers() async throws {
        let (fixture, _) = try fixture([.fail(.timedOut), .respond(503), .respond(200, [:], Self.png)])
        async let result = fixture.pipeline.result(for: ImageRequest(url: Self.url))
        try await pass(Row.backoff, fixture.clock)
        #expect(try await result.report.retryCount == 2)
        #expect(try await result.image.bitmap.pixel(0, 0) == .green)
    }

    @Test("of different failures the last one is the caller's")
    func lastFailure() async throws {
        let (fixture, _) = try fixture([.fail(.timedOut), .respond(503), .respond(404)])
        async let reason = failure { try await fixture.pipeline.image(for: Self.url) }
        try await pass(Row.backoff, fixture.clock)
        #expect(await reason == .status(404))
    }

    @Test("two callers share the attempts and the waits")
    func shared() async throws {
        let (fixture, transport) = try fixture([.fail(.connectionLost), .respond(200, [:], Self.png)])
        async let first = fixture.pipeline.image(for: Self.url)
        try await fixture.clock.waitForSleepers(count: 1)
        let second = fixture.pipeline.load(ImageRequest(url: Self.url))
        fixture.clock.advance(by: .milliseconds(500))
        #expect(try await first === second.result.image)
        #expect(transport.requests.count == 2)
    }

    @Test("a load that is cancelled while it waits ends at once")
    func cancelled() async throws {
        let (fixture, transport) = try fixture([.fail(.connectionLost)])
        let load = fixture.pipeline.load(ImageRequest(url: Self.url))
        try await fixture.clock.waitForSleepers(count: 1)
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.result }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.clock.sleeperCount == 0)
        #expect(transport.requests.count == 1)
        #expect(fixture.pipeline.isIdle)
    }

    @Test("prefetches that a server puts off for long fail at once: those behind them go on", .timeLimit(.minutes(5)))
    func background() async throws {
        let fixture = try Fixture { $0.retry = Self.policy }
        let data = TestImages.solidPNG(width: 8, height: 8, color: .green)
        fixture.server.fallback { request in
            request.path == "/5"
                ? .ok(data, type: "image/png", fields: ["Cache-Control": "max-age=60"])
                : .status(503, fields: ["Retry-After": "30"])
        }
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, to: .disk)
        prefetcher.start((1...5).map { fixture.server.url("/\($0)") })
        await prefetcher.finished()
        #expect(fixture.clock.requestedSleeps.isEmpty)
        #expect(fixture.server.requestCount == 5)
        #expect(try await fixture.store.usage().responseCount == 1)
    }

    struct Wait: Sendable, CustomTestStringConvertible {
        var priority: ImageRequest.Priority
        var step: ScriptedTransport.Step
        var waits: [Duration]

        var testDescription: String { "\(priority), \(step)" }

        static let all: [Wait] = [
            Wait(priority: .low, step: .fail(.timedOut), waits: Row.backoff),
            Wait(priority: .veryLow, step: .respond(503, ["Retry-After": "0"]), waits: Row.backoff),
            Wait(priority: .low, step: .respond(503, ["Retry-After": "1"]), waits: []),
            Wait(
                priority: .normal, step: .respond(503, ["Retry-After": "1"]),
                waits: [.milliseconds(1_500), .seconds(2)]),
        ]
    }

    @Test("background work waits for a second at most", .timeLimit(.minutes(5)), arguments: Wait.all)
    func backgroundWait(_ row: Wait) async throws {
        let (fixture, transport) = try fixture([row.step])
        async let reason = failure {
            try await fixture.pipeline.image(for: ImageRequest(url: Self.url, priority: row.priority))
        }
        try await pass(row.waits, fixture.clock)
        #expect(await reason != nil)
        #expect(fixture.clock.requestedSleeps == row.waits)
        #expect(transport.requests.count == row.waits.count + 1)
    }

    @Test("a request's own policy counts, and doesn't make it another request")
    func ownPolicy() async throws {
        let (fixture, transport) = try fixture([.respond(503)])
        var request = ImageRequest(url: Self.url)
        request.retryPolicy = RetryPolicy.none
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .status(503))
        #expect(transport.requests.count == 1)
        #expect(request.id == ImageRequest(url: Self.url).id)
    }

    @Test("HEAD is attempted again, and a method that a server may have acted on isn't", arguments: ["HEAD", "POST"])
    func method(_ method: String) async throws {
        let (fixture, transport) = try fixture(
            [.fail(.connectionLost)], RetryPolicy(attemptLimit: 2, baseDelay: .zero))
        var request = URLRequest(url: Self.url)
        request.httpMethod = method
        #expect(
            await failure { try await fixture.pipeline.image(for: ImageRequest(urlRequest: request)) }
                == .connectionLost)
        #expect(transport.requests.count == (method == "HEAD" ? 2 : 1))
    }

    @Test("the longest wait doubles up to its limit, and a random share of it is waited")
    func backoff() {
        let policy = RetryPolicy(attemptLimit: 9, baseDelay: .seconds(1), maximumDelay: .seconds(5))
        #expect((1...5).map { policy.backoff(afterFailures: $0, random: 1) } == [1, 2, 4, 5, 5].map { .seconds($0) })
        #expect(policy.backoff(afterFailures: 3, random: 0.25) == .seconds(1))
        #expect(policy.backoff(afterFailures: 3, random: 0) == .zero)
        #expect(policy.backoff(afterFailures: .max, random: 1) == .seconds(5))
        let endless = RetryPolicy(baseDelay: .seconds(Int64.max), maximumDelay: .seconds(Int64.max))
        #expect(endless.backoff(afterFailures: 70, random: 0) == .zero)
        #expect(RetryPolicy(baseDelay: .seconds(-1)).backoff(afterFailures: 1, random: 1) == .zero)
    }
}

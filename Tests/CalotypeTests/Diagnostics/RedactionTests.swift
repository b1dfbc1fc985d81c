import Calotype
import CalotypeTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Redaction: what is private stays out of events, reports, logs, pages and traces")
struct RedactionTests {
    private static let secret = "s3cret"
    private static let png = TestImages.solidPNG(width: 8, height: 8, color: .red)

    /// Something private, in one of the places where that may stand.
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// `nil` for what has no URL.
        var url = "https://img.example.com/a.png"
        var answer: ScriptedTransport.Step = .respond(200, ["Content-Type": "image/png"], RedactionTests.png)
        var changesRequest: @Sendable (inout URLRequest) -> Void = { _ in }
        var changesImageRequest: @Sendable (inout ImageRequest) -> Void = { _ in }
        var source: (@Sendable () -> ImageRequest)?
        /// Whether the URL itself holds it, so that it is shown to whoever asks for URLs.
        var isInURL = false
    }

    struct Leak: Error, CustomStringConvertible {
        var description: String { "leaked \(RedactionTests.secret)" }
    }

    static let allPlaces = [
        Place(testDescription: "the path", url: "https://img.example.com/s3cret/a.png", isInURL: true),
        Place(testDescription: "the query", url: "https://img.example.com/a.png?token=s3cret", isInURL: true),
        Place(testDescription: "the fragment", url: "https://img.example.com/a.png#s3cret", isInURL: true),
        Place(testDescription: "the user's name", url: "https://s3cret@img.example.com/a.png", isInURL: true),
        Place(testDescription: "the password", url: "https://me:s3cret@img.example.com/a.png", isInURL: true),
        Place(
            testDescription: "a request field",
            changesRequest: { $0.setValue("Bearer s3cret", forHTTPHeaderField: "Authorization") }),
        Place(testDescription: "the request's body", changesRequest: { $0.httpBody = Data("s3cret".utf8) }),
        Place(
            testDescription: "a response field",
            answer: .respond(200, ["Content-Type": "image/png", "ETag": "\"s3cret\""], png)),
        Place(
            testDescription: "where a redirect leads", answer: .respond(302, ["Location": "https://x.example/s3cret"])),
        Place(testDescription: "where no redirect leads", answer: .respond(302, ["Location": "file:///s3cret"])),
        Place(testDescription: "an error's page", answer: .respond(503, [:], Data("s3cret".utf8))),
        Place(testDescription: "the partition's name", changesImageRequest: { $0.partition = "s3cret" }),
        Place(
            testDescription: "a fallback URL", answer: .fail(.hostNotFound),
            changesImageRequest: { $0.fallbackURLs = [URL(string: "https://b.example/s3cret")!] }),
        Place(
            testDescription: "the resource's name",
            source: { ImageRequest(url: URL(string: "https://img.example.com/a.png")!, id: "s3cret") }),
        Place(
            testDescription: "a data URL",
            source: { ImageRequest(url: URL(string: "data:image/png,s3cret")!) }),
        Place(
            testDescription: "a file's path",
            source: { ImageRequest(url: URL(filePath: "/nowhere/s3cret.png")) }, isInURL: true),
        Place(
            testDescription: "the error of a closure",
            source: { ImageRequest(id: "closure") { throw Leak() } }),
    ]

    @Test("no description, dump, log line, page or trace of an event or a report has it", arguments: allPlaces)
    func places(_ place: Place) async throws {
        let recorder = PipelineRecorder()
        let fixture = try Fixture {
            // The second request is answered well, so that fallbacks and redirects end.
            $0.transport = ScriptedTransport([
                place.answer, .respond(200, ["Content-Type": "image/png"], Self.png),
            ])
            $0.recorder = recorder
            $0.retry = RetryPolicy(attemptLimit: 2)
        }
        var urlRequest = URLRequest(url: try #require(URL(string: place.url)))
        place.changesRequest(&urlRequest)
        var request = place.source?() ?? ImageRequest(urlRequest: urlRequest)
        place.changesImageRequest(&request)
        let wanted = request
        async let result = fixture.pipeline.result(for: wanted)
        if case .respond(503, _, _) = place.answer {
            try await fixture.clock.waitForSleepers(count: 1)
            fixture.clock.advance(by: .seconds(60))
        }
        let report = try? await result.report
        #expect(fixture.events.all.count >= 2)
        for event in fixture.events.all {
            for text in Self.texts(of: event) { #expect(!text.contains(Self.secret), "\(text)") }
        }
        if let report {
            for text in Self.texts(of: report) + [report.explanation] {
                #expect(!text.contains(Self.secret), "\(text)")
            }
        }
        for data in [recorder.page(), recorder.trace()] {
            #expect(!String(decoding: data, as: UTF8.self).contains(Self.secret))
        }
        // Whoever asks for URLs gets them, and nothing else.
        for data in [recorder.page(showsURLs: true), recorder.trace(showsURLs: true)] {
            #expect(String(decoding: data, as: UTF8.self).contains(Self.secret) == place.isInURL)
        }
    }

    @Test("a fault of a cache is named by its kind, since its text may hold anything")
    func cacheFault() {
        let event = ImageEvent.cacheFault(operation: "look up", Leak())
        #expect("\(event)" == "cache fault: couldn't look up (Leak)")
        for text in Self.texts(of: event) { #expect(!text.contains(Self.secret)) }
    }

    private static func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped]
    }
}

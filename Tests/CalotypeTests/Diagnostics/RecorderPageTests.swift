import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("The recorder's page: one file, which asks for nothing and runs nothing but its own script")
struct RecorderPageTests {
    /// The package's own folder.
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("what is compiled in is what Support/RecorderPage has: otherwise run scripts/embed-recorder-page.sh")
    func embedded() throws {
        for (name, text) in [("html", RecorderPage.html), ("css", RecorderPage.css), ("js", RecorderPage.js)] {
            let file = Self.package.appending(path: "Support/RecorderPage/page.\(name)")
            #expect(try String(contentsOf: file, encoding: .utf8) == text + "\n", "page.\(name)")
        }
    }

    @Test("every mark is filled in, and its policy allows no request, and no script or style but those in it")
    func policy() throws {
        let page = try RecordedPage(PipelineRecorder().page(title: "Today"))
        #expect(!page.html.contains("{{") && page.html.contains("<title>Today: flight recorder</title>"))
        let policy = try #require(page.html.firstMatch(of: /Content-Security-Policy" content="([^"]*)"/)).1
        #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe"))
        for element in ["script", "style"] {
            let match = try #require(policy.firstMatch(of: try Regex("\(element)-src '(sha256-[A-Za-z0-9+/=]+)'")))
            #expect(match.output[1].substring?.count == 7 + 44)
        }
        #expect(policy.hasSuffix("img-src data:; base-uri 'none'; form-action 'none'"))
        // Nothing that a browser fetches, whatever the policy says.
        for mark in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket"] {
            #expect(!page.html.contains(mark), "\(mark)")
        }
        #expect(
            page.html.components(separatedBy: "http").count == 1 + page.html.components(separatedBy: "www.w3.org").count
        )
    }

    /// Answers with a field and a protocol that try to be more than data.
    struct HostileTransport: HTTPTransport {
        let text: String

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            if request.url.path().hasPrefix("/type") {
                return HTTPResponse(status: 200, fields: ["Content-Type": "text/x\(text)"])
            }
            let png = TestImages.solidPNG(width: 8, height: 8, color: .red)
            return HTTPResponse(
                status: 200, fields: ["Content-Type": "image/png"], body: HTTPBody(png),
                metrics: .init(networkProtocol: text))
        }
    }

    static let hostileTexts = [
        "</script><script>window.hacked = 1</script>", "<!--<script>", "]]>", "\u{2028}\u{2029}", "\\\"'`${hacked}",
        "<img src=x onerror=\"window.hacked = 1\">", "&lt;script&gt;", "{{script}}{{data}}", "\u{0}\u{1F}\u{7F}",
    ]

    @Test("what servers send and what titles hold is data, whatever it looks like", arguments: hostileTexts)
    func hostile(_ text: String) async throws {
        let (fixture, recorder) = try await Self.record(hostile: text)
        _ = fixture
        let page = try RecordedPage(recorder.page(title: text, showsURLs: true))
        #expect(page.data.title == text)
        #expect(page.data.loads.map(\.report?.protocol) == [text, nil])
        // The page has its own elements and no others: as many as one of nothing.
        let plain = try RecordedPage(PipelineRecorder().page(title: "x"))
        for mark in ["<script", "</script", "<!--", "<img"] {
            #expect(page.html.components(separatedBy: mark).count == plain.html.components(separatedBy: mark).count)
        }
        #expect(page.html.hasSuffix("</html>"))
        #expect(!page.json.contains { "<>&\u{2028}\u{2029}".contains($0) })
    }

    static func record(hostile text: String) async throws -> (Fixture, PipelineRecorder) {
        let recorder = PipelineRecorder()
        let fixture = try Fixture {
            $0.recorder = recorder
            $0.transport = HostileTransport(text: text)
        }
        var components = URLComponents(string: "https://img.example.com/a.png")!
        components.queryItems = [URLQueryItem(name: "q", value: text)]
        _ = try await fixture.pipeline.image(for: components.url!)
        _ = await failure { try await fixture.pipeline.image(for: URL(string: "https://img.example.com/type")!) }
        return (fixture, recorder)
    }

    @Test("URLs are shown if they are asked for, and their origins alone if not")
    func urls() async throws {
        let run = try RecordedRun()
        try await run.run()
        let origin = String(run.fixture.server.url("/").absoluteString.dropLast())
        let redacted = try run.recorder.recorded()
        #expect(Set(redacted.loads.map(\.source)) == [origin, "image"] && !redacted.showsURLs)
        let full = try run.recorder.recorded(showsURLs: true)
        #expect(full.showsURLs && full.loads.contains { $0.source == "\(origin)/pictures/0" })
    }
}

/// Where pages are written for a browser; `nil` if none are wanted.
private let recorderPagesFolder = ProcessInfo.processInfo.environment["CALOTYPE_RECORDER_PAGES"].map {
    URL(filePath: $0)
}

/// Writes what `make test-recorder` opens in a browser: pages, and beside them what they have to show.
@Suite("Pages for the browser", .enabled(if: recorderPagesFolder != nil))
struct RecorderPageFiles {
    /// What a page has to show, by the reports.
    private struct Expected: Encodable {
        struct Load: Encodable {
            let number: UInt64
            let outcome: String
            let microseconds: Int64
            let reason: String
            let pixels: String
        }

        var loads: [Load]
        var failed: Int
        var cancelled: Int
        var received: Int64
        var stored: Int64
        var hits: Int
        var host: String
    }

    private func write(_ data: Data, _ name: String) throws {
        try data.write(to: try #require(recorderPagesFolder).appending(path: name))
    }

    @Test("a page with every layer, a failure and a cancellation is written")
    func mixed() async throws {
        let run = try RecordedRun()
        try await run.run()
        let reports = run.reports
        // What came once for several loads counts once: those of that size share a download.
        var received: Int64 = 0
        var isSharedCounted = false
        for report in reports {
            if report.originalPixelSize == PixelSize(width: 300, height: 200) {
                if isSharedCounted { continue }
                isSharedCounted = true
            }
            received += report.receivedByteCount
        }
        let expected = Expected(
            loads: reports.map {
                .init(
                    number: $0.number, outcome: $0.layer.rawValue, microseconds: $0.duration.microseconds,
                    reason: $0.explanation, pixels: "\($0.pixelSize.width) × \($0.pixelSize.height)")
            },
            failed: 1, cancelled: 1, received: received,
            stored: reports.filter { [.storage, .revalidation].contains($0.layer) }.reduce(0) { $0 + $1.bodyByteCount },
            hits: reports.filter { [.memory, .storage, .revalidation].contains($0.layer) }.count,
            host: String(run.fixture.server.url("/").absoluteString.dropLast()))
        try write(try JSONEncoder().encode(expected), "mixed.json")
        try write(run.recorder.page(title: "Mixed"), "mixed.html")
        try write(run.recorder.page(title: "Mixed", showsURLs: true), "urls.html")
        try write(run.recorder.trace(), "mixed-trace.json")
    }

    @Test("a page of nothing at all is written")
    func empty() throws {
        try write(PipelineRecorder().page(title: "Empty"), "empty.html")
    }

    @Test("a page of 5,000 loads is written")
    func large() async throws {
        let recorder = PipelineRecorder()
        let fixture = try Fixture {
            $0.recorder = recorder
            $0.onEvent = nil
        }
        let urls = (0..<1_000).map {
            fixture.serve("/\($0)", width: 8, height: 8, fields: ["Cache-Control": "max-age=600"])
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<8 {
                group.addTask {
                    for index in 0..<625 {
                        _ = try await fixture.pipeline.image(for: urls[(first * 97 + index) % 1_000])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(recorder.count == 5_000)
        try write(recorder.page(title: "Large"), "large.html")
    }

    @Test("pages are written of what tries to be more than data", arguments: RecorderPageTests.hostileTexts.indices)
    func hostile(_ index: Int) async throws {
        let (_, recorder) = try await RecorderPageTests.record(hostile: RecorderPageTests.hostileTexts[index])
        try write(
            recorder.page(title: RecorderPageTests.hostileTexts[index], showsURLs: true), "hostile-\(index).html")
    }
}

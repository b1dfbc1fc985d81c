import Calotype
import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeTool

@Suite("calo demo: the page")
struct DemoPageTests {
    private static let frame = FilmFrame(
        number: 0, layout: FeedLayout(rowCount: 2), offset: 0, contents: [0: .placeholder, 1: .failure], rowsShown: [0])

    private static func act(_ name: Act.Name, claims: [Claim]) -> Act {
        Act(
            name: name, plot: "Rows & more <ask>", rowCount: 8, shownAtOnceCount: 7,
            traffic: .init(requestCount: 5, notModifiedCount: 4, byteCount: 98_765), duration: .milliseconds(12),
            claims: claims, scenes: [.init(caption: "First \"frame\"", frame: frame)])
    }

    private static func page(_ acts: [Act]) throws -> (text: String, report: DemoReport) {
        let report = DemoReport(rowCount: 2, sides: DemoFixture.sides, acts: acts)
        let strip = FilmStrip(
            layout: FeedLayout(rowCount: 2),
            lanes: FeedSide.allCases.map { .init(title: $0.title, frames: [frame]) })
        let page = DemoPage(
            report: report, strip: strip, stripFile: Data("strip".utf8), stripSize: PixelSize(width: 20, height: 10),
            waterfall: "<script>\"recorded\" & 'kept'</script>", date: Date(timeIntervalSince1970: 0),
            duration: .seconds(13))
        return (try page.html(), report)
    }

    private static let good = Claim("it is <so>", 1, is: 1)
    private static let bad = Claim("nothing is sent", 3, is: 0)

    /// The texts of a table's cells, row by row.
    private static func cells(of id: String, in page: String) throws -> [[String]] {
        let start = try #require(page.range(of: "<table id=\"\(id)\">"))
        let end = try #require(page.range(of: "</table>", range: start.upperBound..<page.endIndex))
        return page[start.upperBound..<end.lowerBound].split(separator: "<tr>").dropFirst().map { row in
            row.matches(of: /<t[hd][^>]*>(.*?)<\/t[hd]>/).map { String($0.output.1) }
        }
    }

    @Test("nothing is asked for from elsewhere: pictures are data, links stay on the page, and no policy allows more")
    func selfContained() throws {
        let page = try Self.page(Act.Name.allCases.map { Self.act($0, claims: [Self.good]) }).text
        let references = page.matches(of: /(?:src|href|action|poster|srcset)="([^"]*)"/).map { String($0.output.1) }
        #expect(references.count == 1 + 4 + 2 + 1 + Act.Name.allCases.count)
        #expect(references.allSatisfy { $0.hasPrefix("#") || $0.hasPrefix("data:image/") })
        for word in ["url(", "@import", "<link", "<script", "http:", "https:", "javascript:"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("default-src 'none'; img-src data:;"))
        // What runs is in a frame that can reach neither the page nor the network, and is a text here.
        #expect(page.contains("sandbox=\"allow-scripts\" srcdoc=\"&lt;script&gt;&quot;recorded&quot; &amp; &#39;kept"))
        // Links lead somewhere.
        for anchor in references where anchor.hasPrefix("#") { #expect(page.contains("id=\"\(anchor.dropFirst())\"")) }
        #expect(page.contains("data:image/png;base64,\(Data("strip".utf8).base64EncodedString())"))
    }

    @Test("texts are escaped, in elements and in attributes")
    func escaping() throws {
        let page = try Self.page([Self.act(.coldStart, claims: [Self.good])]).text
        #expect(page.contains("Rows &amp; more &lt;ask&gt;") && page.contains("It is &lt;so&gt;: <b>1</b>"))
        #expect(page.contains("alt=\"First &quot;frame&quot;: of 2 rows"))
        #expect(!page.contains("<so>") && !page.contains("<ask>"))
        #expect(HTML.escaped("<a href='x' title=\"&\">é") == "&lt;a href=&#39;x&#39; title=&quot;&amp;&quot;&gt;é")
        #expect(HTML.dataURL(Data([0, 1, 2]), type: "image/png") == "data:image/png;base64,AAEC")
    }

    @Test("the numbers are the summary's")
    func numbers() throws {
        let (page, report) = try Self.page(Act.Name.allCases.map { Self.act($0, claims: [Self.good]) })
        let story = try Self.cells(of: "story-table", in: page)
        #expect(story.dropFirst() == report.acts.map { [$0.name.rawValue] + StoryTable.figures(of: $0) }[...])
        #expect(story.first == [""] + StoryTable.columns)
        let feed = try Self.cells(of: "feed-table", in: page)
        #expect(
            feed.dropFirst().map { Array($0.dropFirst()) } == report.feed.lines.map { $0.figures + [$0.ratio] })
        #expect(page.contains("<dd>7 of 8</dd>") && page.contains("<dd>98,765</dd>"))
        #expect(page.contains("All 6 claims on this page hold."))
        #expect(page.contains("1970-01-01T00:00:00Z") && page.contains(" 13 s."))
    }

    @Test("the strip and the scenes are told in words")
    func words() throws {
        let page = try Self.page([Self.act(.coldStart, claims: [Self.good])]).text
        #expect(page.contains("Calotype, in 1 frames: 2 placeholders, 1 of them for pictures that had been there."))
        #expect(page.contains("of 2 rows, 0 show a picture or an impression, 1 a failure, and 1 nothing."))
        #expect(page.matches(of: /<img\s/).count == page.matches(of: /<img\s[^>]*alt="[^"]+"/).count)
    }

    @Test("a claim that doesn't hold is marked, counted, and named by the command")
    func failure() throws {
        let (page, report) = try Self.page([Self.act(.warmStart, claims: [Self.good, Self.bad])])
        #expect(report.failures == ["warm start: nothing is sent: 3, not 0."])
        #expect(page.contains("<li class=\"fails\">") && page.contains("nothing is sent: 3, not 0"))
        #expect(page.contains("1 claims on this page don&#39;t hold."))
        #expect(StoryTable.text(of: report.acts[0]).contains("  - NOT SO: nothing is sent: 3, not 0"))
    }

    @Test("the JSON document has an object for each side and each act")
    func json() throws {
        let (_, report) = try Self.page([Self.act(.warmStart, claims: [Self.good, Self.bad])])
        let document = try JSONSerialization.jsonObject(with: Data(report.json().utf8))
        let object = try #require(document as? [String: Any])
        let sides = try #require(object["sides"] as? [[String: Any]])
        #expect(sides.compactMap { $0["name"] as? String } == FeedSide.allCases.map(\.rawValue))
        #expect(sides.compactMap { $0["requests"] as? Int } == [1_234, 1_234])
        let acts = try #require(object["acts"] as? [[String: Any]])
        #expect(acts.compactMap { $0["bytes"] as? Int } == [98_765])
        let claims = try #require(acts.first?["claims"] as? [[String: Any]])
        #expect(claims.compactMap { $0["found"] as? String } == ["1", "3"])
    }
}

#if os(Linux)
@Suite("calo demo: --open")
struct BrowserTests {
    /// A folder with an opener in it: the shell, which runs the page that it is given.
    ///
    /// A link, since a program that was just written can't be run for certain: a process that another test starts at
    /// this moment may still hold it open for writing.
    private func opener() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/xdg-open", withDestinationPath: "/bin/sh")
        return folder
    }

    private func browser(_ path: String, screen: [String: String] = ["DISPLAY": ":0"]) -> Browser {
        Browser(environment: ["PATH": path].merging(screen) { $1 }, patience: .seconds(60))
    }

    @Test("the page is handed to the system's opener", arguments: ["DISPLAY", "WAYLAND_DISPLAY"])
    func opens(screen: String) async throws {
        let folder = try opener()
        let page = try folder.write(Data("printf %s \"$0\" > '\(folder.path)/opened'\n".utf8), to: "a b.html")
        #expect(await browser(folder.path, screen: [screen: ":0"]).open(page) == nil)
        #expect(try folder.data("opened") == Data(page.utf8))
    }

    @Test("what stands in the way is said: no opener, no screen, no browser")
    func problems() async throws {
        let folder = try opener()
        let page = try folder.write(Data("exit 3\n".utf8), to: "index.html")
        #expect(await browser("/nowhere").open(page) == "There is no xdg-open here.")
        #expect(await browser(folder.path, screen: [:]).open(page) == "There is no screen here.")
        #expect(await browser(folder.path).open(page) == "xdg-open ended with status 3: is there a browser?")
    }
}
#endif

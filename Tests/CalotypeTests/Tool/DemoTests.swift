import Calotype
import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeTool

@Suite("calo demo: the feed")
struct FeedTests {
    private static let layout = FeedLayout(rowCount: 30)

    @Test(
        "a row is in view as soon as a part of it is",
        arguments: [
            (0, 0..<9), (0.5, 0..<9), (51.9, 0..<9), (52, 0..<9), (52.1, 0..<10), (87.9, 0..<10), (88, 1..<10),
            (140.5, 1..<11), (1_899, 21..<30), (1_900, 21..<30), (2_700, 30..<30), (-88, 0..<8),
        ])
    func rowsInView(_ offset: Double, _ rows: Range<Int>) {
        #expect(Self.layout.rows(at: offset) == rows)
        for row in 0..<30 { #expect((Self.layout.seenHeight(of: row, at: offset) > 0) == rows.contains(row)) }
    }

    @Test("a feed that is shorter than the viewport doesn't scroll")
    func short() {
        let script = FeedScript(FeedLayout(rowCount: 3), passFrameCount: 10)
        #expect(script.offsets.allSatisfy { $0 == 0 })
        #expect(script.rowsEntering(at: 0) == [0, 1, 2])
        #expect((1..<script.offsets.count).allSatisfy { script.rowsEntering(at: $0).isEmpty })
    }

    @Test("rows come into view from below, from above, and from below again", arguments: [5, 20, 78])
    func order(_ passFrameCount: Int) {
        let script = FeedScript(Self.layout, passFrameCount: passFrameCount)
        let entering = script.offsets.indices.map(script.rowsEntering)
        let order = entering.filter { !$0.isEmpty }.map { $0.sorted() }
        #expect(order.first == Array(0..<9))
        var rows = Array(0..<9)
        for frame in order.dropFirst() {
            // Several come at once where the feed is fast: in the order of the way.
            rows += frame[0] > rows[rows.count - 1] ? frame : frame.reversed()
        }
        #expect(rows == Array(0..<30) + (0..<21).reversed() + Array(9..<30))
    }

    @Test(
        "the film has 24 moments, from the first frame to the way back up, most with a row that has just come",
        arguments: [3, 78, 600])
    func moments(_ passFrameCount: Int) throws {
        let script = FeedScript(Self.layout, passFrameCount: passFrameCount)
        let moments = script.moments
        #expect(moments.count == 24 && Set(moments).count == 24)
        #expect(moments == moments.sorted() && moments.first == 0)
        // Down takes 30 frames of rest and a pass, up another pass after 12 more.
        let last = try #require(moments.last)
        #expect(last > 30 + passFrameCount && last < 42 + 2 * passFrameCount)
        guard passFrameCount > 3 else { return }
        let moving = moments.filter { (30..<30 + passFrameCount).contains($0) || $0 >= 42 + passFrameCount }
        #expect(moving.count >= 15)
        #expect(moving.count { !script.rowsEntering(at: $0).isEmpty } >= 15)
    }

    @Test("a flash is a placeholder for a picture that had been there; it counts once for each time in view")
    func record() {
        let picture = FeedContent.picture(
            DecodedImage(bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .red)))
        let frames: [[Int: FeedContent]] = [
            [0: .placeholder, 1: .placeholder],
            [0: picture, 1: .placeholder],
            [0: picture, 1: picture],
            [1: picture, 2: .placeholder],
            [0: .placeholder, 1: picture],
            [0: .placeholder, 1: picture],
            [0: picture, 2: .placeholder],
            [0: picture, 2: .failure],
            [0: picture, 2: .failure],
        ]
        var record = FeedRecord()
        for (number, frame) in frames.enumerated() { record.add(frame, at: .milliseconds(number)) }
        #expect(record.appearanceCount == 5)
        #expect(record.blankAppearanceCount == 5)
        #expect(record.flashCount == 1)
        #expect(record.blankFrameCount == 7)
        #expect(record.failureCount == 1)
        #expect(record.firstPicture == .milliseconds(1))
        #expect(record.firstScreen == .milliseconds(2))
    }

    /// A row that shows its final content at once, and notes when it comes and goes.
    @MainActor
    private final class NotedRow: FeedRow {
        let content = FeedContent.failure
        private let note: (Bool) -> Void

        init(note: @escaping (Bool) -> Void) { self.note = note }

        func appear() { note(true) }
        func disappear() { note(false) }
    }

    @Test("each row is told when it comes into view and when it has left, and none is left over")
    @MainActor
    func comingAndGoing() async throws {
        let script = FeedScript(FeedLayout(rowCount: 12), passFrameCount: 6)
        var notes = Array(repeating: [Bool](), count: 12)
        let run = FeedRun(script) { row in NotedRow { notes[row].append($0) } }
        try await run.run(.settled)
        // Down, up and down again: the first rows come twice, those in the middle never go, the last come twice.
        #expect(notes.map(\.count) == [4, 4, 4, 2, 2, 2, 2, 2, 2, 4, 4, 4])
        for row in notes { #expect(row == row.indices.map { $0.isMultiple(of: 2) }) }
    }

    @Test("a feed that is cancelled lets go of its rows")
    @MainActor
    func cancellation() async throws {
        let script = FeedScript(FeedLayout(rowCount: 12), passFrameCount: 6)
        var notes = Array(repeating: [Bool](), count: 12)
        let run = FeedRun(script) { row in NotedRow { notes[row].append($0) } }
        let task = Task { try await run.run(.display) { _ in withUnsafeCurrentTask { $0?.cancel() } } }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(notes == Array(repeating: [true, false], count: 9) + Array(repeating: [], count: 3))
    }

    /// What a feed of 12 rows took. Each frame waits for the pictures, so it is the same on any machine.
    @MainActor
    private func scroll(
        _ side: FeedSide, port: Int, rowCount: Int = 12, prefetches: Bool = false
    ) async throws -> (run: FeedRun, script: FeedScript, decodes: FeedDecoder.Count) {
        let script = FeedScript(FeedLayout(rowCount: rowCount), passFrameCount: 8)
        let decoder = FeedDecoder()
        let pipeline = side.pipeline(decoder: decoder)
        let prefetch = prefetches ? side.prefetch(in: pipeline, rowCount: rowCount, port: port) : nil
        let run = FeedRun(script, prefetch: prefetch) { side.row(FeedServer.url(of: $0, port: port), in: pipeline) }
        try await run.run(.settled)
        return (run, script, decoder.count)
    }

    @Test("Calotype: a request and a decode for each row, a placeholder before its first picture alone, no flash")
    @MainActor
    func calotype() async throws {
        let pictures = try FeedPictures.make(12)
        let server = try FeedServer(pictures)
        let (run, script, decodes) = try await scroll(.calotype, port: server.port)
        let record = run.record
        #expect(
            server.traffic == .init(requestCount: 12, byteCount: pictures.map(\.count).reduce(0, +)))
        #expect(decodes.decodeCount == 12)
        #expect(record.appearanceCount == script.offsets.indices.map { script.rowsEntering(at: $0).count }.reduce(0, +))
        #expect(record.appearanceCount > 12)
        #expect(record.blankAppearanceCount == 12)
        #expect(record.flashCount == 0)
        #expect(record.failureCount == 0)
    }

    @Test("Calotype with prefetching: no placeholder after the first screen, and no request or decode more")
    @MainActor
    func prefetching() async throws {
        let server = try FeedServer(FeedPictures.make(24))
        let (run, script, decodes) = try await scroll(.calotype, port: server.port, rowCount: 24, prefetches: true)
        #expect(server.traffic.requestCount == 24)
        #expect(decodes.decodeCount == 24)
        #expect(run.record.blankAppearanceCount == script.rowsEntering(at: 0).count)
        #expect(run.record.flashCount == 0)
    }

    @Test("the feed's decoder estimates as the system's, which it counts")
    func estimate() {
        let data = TestImages.jpeg(width: 400, height: 300) { _, _ in .red }
        func estimate(_ decoder: any ImageDecoder) -> Int {
            decoder.estimatedByteCount(
                of: data, format: .jpeg, pixelSize: PixelSize(width: 400, height: 300),
                target: .fit(width: 20, height: nil))
        }
        #expect(estimate(FeedDecoder()) == estimate(SystemImageDecoder()))
    }

    @Test("AsyncImage's rules: a request for each row, but a placeholder and a decode whenever one comes into view")
    @MainActor
    func asyncImage() async throws {
        let server = try FeedServer(FeedPictures.make(12))
        let (run, _, decodes) = try await scroll(.asyncImage, port: server.port)
        let record = run.record
        #expect(server.traffic.requestCount == 12)
        #expect(record.appearanceCount > 12)
        #expect(decodes.decodeCount == record.appearanceCount)
        #expect(record.blankAppearanceCount == record.appearanceCount)
        #expect(record.flashCount == record.appearanceCount - 12)
        #expect(record.failureCount == 0)
    }

    @Test("rows without a picture are failures, and no placeholders for ever", arguments: FeedSide.allCases)
    @MainActor
    func failures(_ side: FeedSide) async throws {
        let server = try FeedServer(FeedPictures.make(2))
        let (run, script, _) = try await scroll(side, port: server.port, rowCount: 4)
        #expect(run.record.failureCount == 2)
        #expect(run.record.firstScreen == nil)
        #expect(run.film.map(\.number) == script.moments)
        for row in try #require(run.film.last).rows {
            #expect((row.picture != nil) == (row.number < 2) && row.hasFailed == (row.number >= 2))
        }
    }

    @Test(
        "the film strip shows a picture in the middle of its row, and marks a placeholder for one that had been there")
    func filmStrip() {
        let layout = FeedLayout(rowCount: 1)
        let blue = FeedContent.picture(DecodedImage(bitmap: TestImages.solidBitmap(width: 9, height: 5, color: .blue)))
        let shown: [(FeedContent, Set<Int>)] = [(.placeholder, []), (.placeholder, [0]), (blue, [0])]
        let lanes = shown.map { content, rowsShown in
            FilmStrip.Lane(
                title: "CALOTYPE",
                frames: [
                    FilmFrame(number: 0, layout: layout, offset: 0, contents: [0: content], rowsShown: rowsShown)
                ])
        }
        let bitmap = FilmStrip(layout: layout, lanes: lanes).bitmap
        #expect(bitmap.isOpaque)
        let third = bitmap.size.height / 3
        for (lane, colors) in [[], [PhoneDrawing.lost], [.blue]].enumerated() {
            for color: PixelColor in [.blue, PhoneDrawing.lost] {
                let count = (lane * third..<(lane + 1) * third).reduce(0) { count, y in
                    count + (0..<bitmap.size.width).count { bitmap.pixel($0, y) == color }
                }
                // All of the square but its round corners.
                #expect(colors.contains(color) ? 1_500...1_600 ~= count : count == 0)
            }
        }
    }

    @Test("a picture of the film is the middle of its bitmap; an impression is enlarged smoothly")
    func filmPicture() {
        // Two halves, side by side; the outermost columns of a wide bitmap aren't in the square.
        func picture(width: Int, height: Int, side: Int) -> FilmPicture {
            FilmPicture(
                TestImages.bitmap(width: width, height: height) { x, _ in x < width / 2 ? .red : .blue }, side: side)
        }
        let reduced = picture(width: 400, height: 300, side: 10)
        #expect(reduced[4, 9] == .red && reduced[5, 0] == .blue)
        let enlarged = picture(width: 32, height: 20, side: 80)
        #expect(enlarged[0, 0] == .red && enlarged[79, 79] == .blue)
        let reds = (0..<80).map { enlarged[$0, 40].red }
        #expect(zip(reds, reds.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 <= 255 / 4 + 1 })
    }

    @Test("the strip's letters are all there")
    func letters() {
        let words = FeedSide.allCases.map { $0.title.uppercased() } + ["0123456789.S", "!"]
        for letter in words.joined() where letter != " " {
            #expect(!PixelFont.dots(of: String(letter)).isEmpty, "\(letter)")
        }
    }

    @Test("the table has a column for each side")
    func table() throws {
        let sides = DemoFixture.sides
        let table = FeedTable(sides: sides)
        let lines = table.text.split(separator: "\n")
        #expect(Set(lines.map(\.count)) == [71, 79], "\(table.text)")
        #expect(lines[0].hasSuffix("AsyncImage's rules       Calotype"))
        #expect(lines[1].hasPrefix("requests ") && lines[1].hasSuffix("  1,234          1,234"))
        #expect(lines[2].hasSuffix("    200            100      2x"))
        #expect(lines.contains { $0.hasPrefix("first picture after") && $0.hasSuffix("  -") })
        #expect(lines.last?.hasSuffix(" 48 MiB") == true)
    }
}

@Suite("calo demo, run as a program", .timeLimit(.minutes(5)))
struct ToolDemoTests {
    @Test("prints the tables and the claims, and leaves a page, a film strip and a contact sheet")
    func demo() async throws {
        let folder = try TemporaryFolder()
        let run = try await ToolProcess(["demo", "--rows", "10", "--frames", "6"], folder: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty)
        #expect(run.output.contains("AsyncImage's rules       Calotype"))
        for act in Act.Name.allCases { #expect(run.lines.count { $0.hasPrefix(act.rawValue) } == 2, "\(act)") }
        #expect(!run.output.contains("NOT SO") && run.lines.allSatisfy { $0.count <= 79 })
        #expect(!run.all.contains("\u{1B}"))
        #expect(folder.names(in: "calo-demo") == ["contact-sheet.png", "film-strip.png", "index.html", "trace.json"])
        let page = String(decoding: try folder.data("calo-demo/index.html"), as: UTF8.self)
        #expect(page.contains("<h3>Warm start</h3>"))
        #expect(page.contains("srcdoc=\"&lt;!doctype html&gt;") && page.contains("/story/5.jpg"))
        let sheet = try ImageDecoders.system.decode(folder.data("calo-demo/contact-sheet.png"))
        #expect(sheet.pixelSize == PixelSize(width: 28 + 6 * 292, height: 28 + 2 * 292))
        let strip = try ImageDecoders.system.decode(folder.data("calo-demo/film-strip.png"))
        #expect(strip.pixelSize.width > strip.pixelSize.height)
    }

    @Test("--json prints one document, with the figures of both sides")
    func json() async throws {
        let folder = try TemporaryFolder()
        let run = try await ToolProcess(
            "demo", "--json", "--rows", "2", "--frames", "3", "--output", folder.path + "/out")
        #expect(run.status == 0, "\(run.errors)")
        let document = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        let sides = try #require(document?["sides"] as? [[String: Any]])
        #expect(sides.compactMap { $0["appearances"] as? Int } == [2, 2])
        #expect(sides.compactMap { $0["failures"] as? Int } == [0, 0])
        #expect(sides.allSatisfy { ($0["peakMemoryBytes"] as? Int ?? 0) > 0 })
        let acts = try #require(document?["acts"] as? [[String: Any]])
        #expect(acts.compactMap { $0["name"] as? String } == Act.Name.allCases.map(\.rawValue))
        #expect(acts.compactMap { $0["requests"] as? Int } == [8, 3, 3, 0, 4, 8])
        #expect(folder.names(in: "out").count == 4)
    }

    @Test("a folder that can't be made is named, before anything is done")
    func noFolder() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data(), to: "file")
        let run = try await ToolProcess("demo", "--output", file + "/out")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("can't create the folder"))
    }

    @Test("an interrupt ends it with status 130 and no files")
    func interrupt() async throws {
        let folder = try TemporaryFolder()
        let running = try ToolProcess.Running(["demo", "--frames", "600", "--output", folder.path + "/out"])
        #expect(await running.firstOutput().contains("A feed of 30 rows"))
        running.interrupt()
        let run = await running.end()
        #expect(run.status == 130)
        #expect(run.errors == "calo: interrupted.\n")
        #expect(folder.names(in: "out").isEmpty)
    }

    @Test("arguments that make no sense are refused", arguments: [["--rows", "31"], ["--frames", "2"], ["-o", ""]])
    func usage(_ arguments: [String]) async throws {
        let run = try await ToolProcess(["demo"] + arguments)
        #expect(run.status == 2)
        #expect(run.output.isEmpty && run.errors.contains("calo demo --help"))
    }
}

import Calotype
import Foundation

/// The demonstration: the feed with a process for each side, then the acts, then the page.
struct Demo: Sendable {
    private typealias Sides = [(side: FeedSide, result: FeedResult)]

    private let options: DemoOptions
    private let bar = ProgressBar.onTerminal(total: FeedSide.allCases.count + Act.Name.allCases.count)

    init(_ options: DemoOptions) {
        self.options = options
    }

    /// Shows everything, and writes the files.
    func run() async throws -> DemoReport {
        let start = ContinuousClock.now
        try LocalFile.createOutputFolder(options.outputFolder)
        defer { bar?.close() }
        say(introduction)
        let pictures = try FeedPictures.make(max(options.rowCount, StoryPictures.count))
        let sides = try await scroll(Array(pictures.prefix(options.rowCount)))
        say(FeedTable(sides: sides.map { ($0.side, $0.result.report) }).text + "\n")
        let (acts, recorder) = try await tell(StoryPictures(pictures))
        let report = DemoReport(
            rowCount: options.rowCount, sides: sides.map { ($0.side, $0.result.report) }, acts: acts)
        say(report.story.text + "\n")
        if options.printsJSON { Console.print(try report.json()) }

        let files = try write(report, sides, recorder, since: start)
        bar?.close()
        let seconds = (ContinuousClock.now - start).millisecondCount / 1_000
        say("Wrote \(files.joined(separator: ",\n      ")).\nIt took \(seconds.figure) s.")
        if options.opensPage, let problem = await Browser().open(files[0]) {
            Console.complain("\(problem) Open \(files[0]) in a browser.")
        }
        return report
    }

    /// Prints, unless a program wants to read the output.
    private func say(_ text: String) {
        guard !options.printsJSON else { return }
        guard let bar else { return Console.print(text) }
        bar.around { Console.print(text) }
    }

    private var introduction: String {
        """
        A feed of \(options.rowCount) rows, 88 points high at 3x, scrolled down, up and down again.
        Each row has a picture of its own, cut from six photos, \(FeedServer.latencyMilliseconds) ms away. Both sides
        keep responses by HTTP's rules, and have the same transport and decoders;
        Calotype's list also prefetches the \(FeedPrefetch.reach) rows next to those in view.

        """
    }

    // MARK: The feed

    private func scroll(_ pictures: [Data]) async throws -> Sides {
        let server = try FeedServer(pictures)
        var results: Sides = []
        for (position, side) in FeedSide.allCases.enumerated() {
            let before = server.traffic
            let process = FeedProcess(
                side: side, port: server.port, rowCount: options.rowCount, passFrameCount: options.passFrameCount)
            var result = try await process.start { [bar] in bar?.advance(position, to: $0) }
            result.report.traffic = server.traffic - before
            bar?.finish(position, byteCount: Int64(result.report.traffic.byteCount))
            results.append((side, result))
        }
        return results
    }

    // MARK: The acts

    @MainActor
    private func tell(_ pictures: StoryPictures) async throws -> ([Act], PipelineRecorder) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calo-demo-\(UUID().uuidString)")
        let story = try Story(
            pictures, folder: folder, latency: .milliseconds(FeedServer.latencyMilliseconds))
        var acts: [Act] = []
        do {
            for (position, name) in Act.Name.allCases.enumerated() {
                let act = try await story.play(name)
                bar?.finish(FeedSide.allCases.count + position, byteCount: Int64(act.traffic.byteCount))
                say(StoryTable.text(of: act) + "\n")
                acts.append(act)
            }
        } catch {
            await end(story)
            throw error
        }
        await end(story)
        return (acts, story.recorder)
    }

    @MainActor
    private func end(_ story: Story) async {
        await story.end()
        // Made by the first launch. What can't be removed is the system's to clear, as everything there.
        try? FileManager.default.removeItem(at: story.folder)
    }

    // MARK: The files

    /// - Returns: The files' paths, the page's first.
    private func write(
        _ report: DemoReport, _ sides: Sides, _ recorder: PipelineRecorder, since start: ContinuousClock.Instant
    ) throws -> [String] {
        let strip = FilmStrip(
            layout: FeedLayout(rowCount: options.rowCount),
            lanes: sides.map { .init(title: $0.side.title, frames: $0.result.film) })
        let bitmap = strip.bitmap
        let film = try ImageEncoder().encoded(DecodedImage(bitmap: bitmap), as: .png)
        // The URLs are this program's own, and tell which row a load was for.
        let waterfall = recorder.page(title: "calo demo", showsURLs: true)
        let page = try DemoPage(
            report: report, strip: strip, stripFile: film, stripSize: bitmap.size,
            waterfall: String(decoding: waterfall, as: UTF8.self), date: Date(), duration: .now - start
        ).html()
        var files = [
            ("index.html", Data(page.utf8)), ("film-strip.png", film), ("trace.json", recorder.trace(showsURLs: true)),
        ]
        if let sheet = sides.compactMap(\.result.contactSheet).first { files.append(("contact-sheet.png", sheet)) }
        return try files.map { name, data in
            let path = "\(options.outputFolder)/\(name)"
            try LocalFile.write(data, to: path)
            return path
        }
    }
}

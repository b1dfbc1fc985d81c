import Calotype
import Foundation

extension Command {
    /// `calo demo`.
    static let demo = Command(
        name: "demo", summary: "scroll a feed of photos by AsyncImage's rules and by Calotype's, and compare",
        help: DemoOptions.help
    ) { arguments in
        let options = try DemoOptions(arguments)
        do {
            let (failureCount, _) = try await Interruption.cancelling { try await Demo(options).run() }
            guard failureCount > 0 else { return .success }
            Console.complain("\(failureCount) rows got no picture.")
            return .failure
        } catch is CancellationError {
            Console.complain("interrupted.")
            return .interrupted
        }
    }
}

/// What `calo demo` was told.
struct DemoOptions: Sendable {
    var outputFolder = "calo-demo"
    var rowCount = FeedPictures.most
    var passFrameCount = 78
    var printsJSON = false

    /// Reads the arguments.
    ///
    /// - Throws: ``UsageError`` or ``HelpRequest``.
    init(_ arguments: [String]) throws {
        let operands = try Self.parser.parse(arguments, into: &self)
        guard operands.isEmpty else { throw UsageError("demo takes options alone.") }
    }

    static let parser = OptionParser<DemoOptions>(options: [
        .init("--output", short: "-o", value: "DIR", help: "where the pictures go; calo-demo is the default") {
            guard !$1.isEmpty else { throw UsageError("--output needs the name of a folder.") }
            $0.outputFolder = $1
        },
        .init("--rows", value: "N", help: "rows of the feed, 1 to \(FeedPictures.most), the default") {
            $0.rowCount = try Int($1, of: "--rows", in: 1...FeedPictures.most)
        },
        .init("--frames", value: "N", help: "frames of a pass at 60 a second, 3 to 600; 78 is the default") {
            $0.passFrameCount = try Int($1, of: "--frames", in: 3...600)
        },
        .init("--json", help: "print one JSON document instead of the table") { options, _ in
            options.printsJSON = true
        },
    ])

    static let help = """
        Scrolls a feed of photos down, up and down again, once by AsyncImage's rules and once by Calotype, and prints
        what each took. There is no screen: rows come and go, and ask what to show 60 times a second, as they would on
        one.

        usage: calo demo [options]

        \(parser.help)

        The pictures are six photos and their corners. They come from 127.0.0.1, each \(FeedServer.latencyMilliseconds) ms after it is
        asked for: nothing leaves this machine. A row is 88 points high, at 3 pixels a point. Each side has a process of its own,
        and begins with nothing. The server allows the pictures to be kept, and both sides keep them as HTTP says: what
        is compared is what becomes of them then. By AsyncImage's rules, as far as Apple documents them and developers
        have seen them, a row begins empty, loads anew whenever it comes into view, and decodes all of the picture. Calotype's
        list prefetches the rows next to those in view, which AsyncImage has no way to do.

        The folder gets two files: film-strip.png, the same moments of both sides, in which a pink square is a
        placeholder for a picture that had been there; and contact-sheet.png, every picture as Calotype rendered it.

        Exit status: 0; 1 if something went wrong, which is then named; 2 for arguments that make no sense; 130 after an
        interrupt.
        """
}

/// The demonstration: a server here, and a process for each side.
struct Demo: Sendable {
    private let options: DemoOptions

    init(_ options: DemoOptions) {
        self.options = options
    }

    /// - Returns: How many rows failed.
    func run() async throws -> Int {
        let start = ContinuousClock.now
        try LocalFile.createFolder(options.outputFolder)
        let server = try FeedServer(FeedPictures.make(options.rowCount))
        if !options.printsJSON { Console.print(introduction) }

        let bar = ProgressBar.onTerminal(total: FeedSide.allCases.count)
        defer { bar?.close() }
        var results: [(side: FeedSide, result: FeedResult)] = []
        for (position, side) in FeedSide.allCases.enumerated() {
            let before = server.traffic
            let process = FeedProcess(
                side: side, port: server.port, rowCount: options.rowCount, passFrameCount: options.passFrameCount)
            var result = try await process.start { bar?.advance(position, to: $0) }
            result.report.traffic = server.traffic - before
            bar?.finish(position, byteCount: Int64(result.report.traffic.byteCount))
            results.append((side, result))
        }
        bar?.close()

        let table = FeedTable(rowCount: options.rowCount, sides: results.map { ($0.side, $0.result.report) })
        Console.print(options.printsJSON ? try table.json() : table.text)
        let files = try write(results)
        if !options.printsJSON {
            let seconds = (ContinuousClock.now - start).millisecondCount / 1_000
            Console.print(
                """

                Wrote \(files.joined(separator: " and ")).
                In the strip, AsyncImage's rules are above and Calotype is below. A pink square
                is a placeholder for a picture that had been there. It took \(seconds.figure) s.
                """)
        }
        return results.map(\.result.report.record.failureCount).reduce(0, +)
    }

    private var introduction: String {
        """
        A feed of \(options.rowCount) rows, 88 points high at 3x, scrolled down, up and down again.
        Each row has a picture of its own, cut from six photos, \(FeedServer.latencyMilliseconds) ms away. Both sides
        keep responses by HTTP's rules, and have the same transport and decoders;
        Calotype's list also prefetches the \(FeedPrefetch.reach) rows next to those in view.

        """
    }

    /// - Returns: The files' paths.
    private func write(_ results: [(side: FeedSide, result: FeedResult)]) throws -> [String] {
        let strip = FilmStrip(
            layout: FeedLayout(rowCount: options.rowCount),
            lanes: results.map { .init(title: $0.side.title.uppercased(), frames: $0.result.film) })
        let film = try ImageEncoder().encoded(DecodedImage(bitmap: strip.bitmap), as: .png)
        let files =
            [("film-strip.png", film)] + results.compactMap(\.result.contactSheet).map { ("contact-sheet.png", $0) }
        return try files.map { name, data in
            let path = "\(options.outputFolder)/\(name)"
            try LocalFile.write(data, to: path)
            return path
        }
    }
}

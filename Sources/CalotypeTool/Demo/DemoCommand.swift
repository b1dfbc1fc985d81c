import Calotype
import Foundation

extension Command {
    /// `calo demo`.
    static let demo = Command(
        name: "demo", summary: "show what becomes of images: a feed twice, then six acts",
        help: DemoOptions.help
    ) { arguments in
        let options = try DemoOptions(arguments)
        do {
            let (report, _) = try await Interruption.cancelling { try await Demo(options).run() }
            for failure in report.failures { Console.complain(failure) }
            return report.failures.isEmpty ? .success : .failure
        } catch is CancellationError {
            Console.complain("interrupted.")
            return Interruption.exitCode
        }
    }
}

/// What `calo demo` was told.
struct DemoOptions: Sendable {
    var outputFolder = "calo-demo"
    var rowCount = FeedPictures.most
    var passFrameCount = 78
    var printsJSON = false
    var opensPage = false

    /// Reads the arguments.
    ///
    /// - Throws: ``UsageError`` or ``HelpRequest``.
    init(_ arguments: [String]) throws {
        let operands = try Self.parser.parse(arguments, into: &self)
        guard operands.isEmpty else { throw UsageError("demo takes options alone.") }
    }

    static let parser = OptionParser<DemoOptions>(options: [
        .init("--output", short: "-o", value: "DIR", help: "where everything goes; calo-demo is the default") {
            guard !$1.isEmpty else { throw UsageError("--output needs the name of a folder.") }
            $0.outputFolder = $1
        },
        .init("--rows", value: "N", help: "rows of the feed, 1 to \(FeedPictures.most), the default") {
            $0.rowCount = try Int($1, of: "--rows", in: 1...FeedPictures.most)
        },
        .init("--frames", value: "N", help: "frames of a pass at 60 a second, 3 to 600; 78 is the default") {
            $0.passFrameCount = try Int($1, of: "--frames", in: 3...600)
        },
        .init("--open", help: "open the page in a browser") { options, _ in
            options.opensPage = true
        },
        .init("--json", help: "print one JSON document instead of the tables") { options, _ in
            options.printsJSON = true
        },
    ])

    static let help = """
        Shows what becomes of images, in a quarter of a minute: a feed, scrolled by AsyncImage's rules and by Calotype, and a
        screen over launches, with a picture that changes, without a network, and at a sign-out. Prints what each took, and checks it.

        usage: calo demo [options]

        \(parser.help)

        There is no screen: rows come and go, and ask what to show, as they would on one. The pictures are six photos
        and their corners. They come from 127.0.0.1, each \(FeedServer.latencyMilliseconds) ms after it is asked for: nothing leaves this machine.

        The feed goes down, up and down again, at 60 frames a second. A row is 88 points high, at 3 pixels a point. Each
        side has a process of its own, and begins with nothing. The server allows the pictures to be kept, and both sides
        keep them as HTTP says: what is compared is what becomes of them then. By AsyncImage's rules, as far as Apple
        documents them and developers have seen them, a row begins empty, loads anew whenever it comes into view, and decodes
        all of the picture. Calotype's list prefetches the rows next to those in view, which AsyncImage has no way to do.

        The acts have one store on disk. Each launch has a new pipeline, with memory and connections of its own.

        The folder gets index.html, the whole story on one page that needs no other file; film-strip.png,
        \(FeedScript.filmFrameCount) moments of both feeds, in which a pink square is a placeholder for a picture that had been there;
        contact-sheet.png, every picture as Calotype rendered it; and trace.json, the loads of the acts for Perfetto.

        Exit status: 0; 1 if something went wrong or isn't as it should be, which is then named; 2 for arguments that make
        no sense; 130 after an interrupt.
        """
}

import Calotype

/// What `calo load` was told.
struct LoadOptions: Sendable {
    var size = SizeArgument.original
    var mode: ImageRequest.Size.Mode?
    var outputFolder: String?
    var format: Format?
    var quality: Int?
    var jobCount = 8
    var headers: [HeaderArgument] = []
    var printsJSON = false
    /// Whether previews are made while files arrive, and counted.
    var makesPreviews = false
    /// Where responses are kept beyond the run.
    var storeFolder: String?
    /// Where a page that shows every load is written, and a trace.
    var reportPath: String?
    var tracePath: String?
    /// Whether those show URLs and file names.
    var showsURLs = false
    var operands: [String] = []

    enum Format: String, CaseIterable {
        case png, jpeg
    }

    /// Reads the arguments.
    ///
    /// - Throws: ``UsageError`` or ``HelpRequest``.
    init(_ arguments: [String]) throws {
        operands = try Self.parser.parse(arguments, into: &self)
        guard !operands.isEmpty else {
            throw UsageError("There is nothing to load. Name URLs, files, folders or @LISTs.")
        }
        guard mode == nil || size != .original else {
            throw UsageError("--mode says how the image lies in a box: it needs --size with a box.")
        }
        guard outputFolder != nil || (format == nil && quality == nil) else {
            throw UsageError("--format and --quality are for what --output writes: add --output DIR.")
        }
        guard !showsURLs || reportPath != nil || tracePath != nil else {
            throw UsageError("--show-urls is for what --report and --trace write: add one of them.")
        }
        guard reportPath == nil || reportPath != tracePath else {
            throw UsageError("--report and --trace each need a file of their own.")
        }
        guard quality == nil || format == .jpeg else {
            throw UsageError("--quality is JPEG's: add --format jpeg.")
        }
    }

    /// What requests ask for.
    var requestSize: ImageRequest.Size { size.size(mode ?? .fill) }

    /// What is written to the output folder.
    var output: ImageEncoder.Output {
        switch format ?? .png {
        case .png: .png
        case .jpeg: .jpeg(quality: quality ?? 85)
        }
    }

    static let parser = OptionParser<LoadOptions>(options: [
        .init(
            "--size", short: "-s", value: "SIZE",
            help: "264x264, 264x or x264 in pixels; 88x88@3x in points with their scale;\n"
                + "original, the default. Nothing is ever enlarged"
        ) { $0.size = try SizeArgument($1) },
        .init(
            "--mode", short: "-m", value: "fit|fill",
            help: "fit: within the box; fill: cover it, without cropping (the default)"
        ) { options, value in
            switch value {
            case "fit": options.mode = .fit
            case "fill": options.mode = .fill
            default: throw UsageError("\(UsageError.quoted(value)) is no mode. Use fit or fill.")
            }
        },
        .init(
            "--output", short: "-o", value: "DIR",
            help: "write the images there; the folder is made if need be"
        ) { options, value in
            guard !value.isEmpty else { throw UsageError("--output needs the name of a folder.") }
            options.outputFolder = value
        },
        .init("--format", short: "-f", value: "png|jpeg", help: "what to write; png is the default") { options, value in
            guard let format = value == "jpg" ? .jpeg : Format(rawValue: value) else {
                throw UsageError("\(UsageError.quoted(value)) can't be written. Use png or jpeg.")
            }
            options.format = format
        },
        .init("--quality", short: "-q", value: "N", help: "of JPEG, 1 to 100; 85 is the default") {
            $0.quality = try Int($1, of: "--quality", in: 1...100)
        },
        .init("--jobs", short: "-j", value: "N", help: "loads at a time, 1 to 256; 8 is the default") {
            $0.jobCount = try Int($1, of: "--jobs", in: 1...256)
        },
        .init(
            "--header", short: "-H", value: "'K: V'",
            help: "a field for every http request, whatever its host; may be repeated"
        ) { $0.headers.append(try HeaderArgument($1)) },
        .init(
            "--store", value: "DIR",
            help: "keep what http brings in a store there, and use what it holds:\n"
                + "see calo cache"
        ) { options, value in
            guard !value.isEmpty else { throw UsageError("--store needs the name of a folder.") }
            options.storeFolder = value
        },
        .init(
            "--previews",
            help: "decode images while they arrive, as a view does, and say how soon\nthere was something to show"
        ) { options, _ in options.makesPreviews = true },
        .init(
            "--report", value: "FILE",
            help: "write a page that shows every load: a waterfall, what served it\nand why, in one file"
        ) { options, value in
            guard !value.isEmpty else { throw UsageError("--report needs the name of a file.") }
            options.reportPath = value
        },
        .init("--trace", value: "FILE", help: "write the same as a trace, for ui.perfetto.dev") { options, value in
            guard !value.isEmpty else { throw UsageError("--trace needs the name of a file.") }
            options.tracePath = value
        },
        .init("--show-urls", help: "show URLs and file names in the page and the trace") { options, _ in
            options.showsURLs = true
        },
        .init("--json", help: "print a JSON object for each source, one a line") { options, _ in
            options.printsJSON = true
        },
    ])

    static let help = """
        Loads images through a Calotype pipeline and reports how each one came.

        usage: calo load [options] URL|FILE|FOLDER|@LIST ...

        \(parser.help)

        A FOLDER means the images in it and in the folders below, found by their first bytes or their names, in order;
        names that begin with a dot are skipped. A LIST is a text file with a source on each line; lines that begin with #
        are comments. @- reads it from standard input. A file whose name begins with @ or - is ./@NAME or ./-NAME.

        The table has the pixels of the source and of the result, the layer that served it (memory, storage,
        revalidation, network, or source for files), the bytes of the file, and the time; with --previews also how many
        unfinished images there were to show, and when the first. URLs are printed by their place among the sources,
        scheme and host: the rest may hold secrets. Files written for them are named likewise. On a terminal a line below
        says how far it is, how many images are done in a second, and how long the rest will take; the last line says how
        many came from each layer: with --store, a second run has what http brought from storage, or from revalidation if
        the server has to be asked whether it still holds.

        With --json, each line is an object with the keys position, source, status (loaded, failed or cancelled); and,
        for what was loaded, layer, format, original, pixels, bytes, receivedBytes, milliseconds, decodeMilliseconds,
        previews, firstPreviewMilliseconds and output (the file written); or, for what failed, message and perhaps stage.

        Exit status: 0; 1 if something couldn't be loaded, which is then named with the reason; 2 for arguments that
        make no sense; 130 after an interrupt and 143 after SIGTERM, which stop cleanly and report what is done (a second
        one ends it at once); 141 if whoever reads the output goes before its end, which stops as cleanly.
        """
}

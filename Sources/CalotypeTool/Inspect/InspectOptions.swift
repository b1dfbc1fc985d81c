import Calotype

/// What `calo inspect` was told.
struct InspectOptions: Sendable {
    var size = SizeArgument.original
    var printsJSON = false
    var files: [String] = []

    /// Reads the arguments.
    ///
    /// - Throws: ``UsageError`` or ``HelpRequest``.
    init(_ arguments: [String]) throws {
        files = try Self.parser.parse(arguments, into: &self)
        guard !files.isEmpty else { throw UsageError("There is nothing to inspect. Name files.") }
    }

    static let parser = OptionParser<InspectOptions>(options: [
        .init(
            "--size", short: "-s", value: "SIZE",
            help: "decode to that size, as calo load does: 264x264, 264x, 88x88@3x;\noriginal is the default"
        ) { $0.size = try SizeArgument($1) },
        .init("--json", help: "print a JSON object for each file, one a line") { options, _ in
            options.printsJSON = true
        },
    ])

    static let help = """
        Says what image files are, and what decoding them takes.

        usage: calo inspect [options] FILE ...

        \(parser.help)

        For each file: its format and length, the size of its pixels and how they are turned, what it says of its
        colours, its frames and scans; and of a decode to the size: the pixels that come of it, the time, the memory that
        was expected and, on Linux, the most by which the program grew. A file that can't be decoded is named with the
        reason, and calo then ends with status 1.
        """
}

import Calotype
import Foundation

/// What `calo cache` was told.
struct CacheOptions: Sendable {
    enum Action: Equatable, Sendable {
        case stats, list, verify
        case explain(URL)
        case trim(byteCount: Int)
        case clear
    }

    private(set) var action = Action.stats
    var folder: String?
    var partition: String?
    var headers: [HeaderArgument] = []

    /// Reads the arguments.
    ///
    /// - Throws: ``UsageError`` or ``HelpRequest``.
    init(_ arguments: [String]) throws {
        let operands = try Self.parser.parse(arguments, into: &self)
        action = try Self.action(operands)
        guard folder != nil else { throw UsageError("Which store? Name its folder: --store DIR.") }
        switch action {
        case .explain: break
        case .clear:
            guard headers.isEmpty else { throw UsageError("--header is for calo cache explain.") }
        case .stats, .list, .verify, .trim:
            guard headers.isEmpty, partition == nil else {
                throw UsageError("--partition is for calo cache explain and clear, --header for explain.")
            }
        }
    }

    private static func action(_ operands: [String]) throws -> Action {
        guard let name = operands.first else {
            throw UsageError("What is to be done? One of \(names).")
        }
        let rest = operands.dropFirst()
        switch (name, rest.count) {
        case ("stats", 0): return .stats
        case ("list", 0): return .list
        case ("verify", 0): return .verify
        case ("clear", 0): return .clear
        case ("explain", 1):
            guard let text = rest.first, let url = URL(string: text),
                ["http", "https"].contains(url.scheme?.lowercased())
            else { throw UsageError("calo cache explain needs a URL that begins with http: or https:.") }
            return .explain(url)
        case ("trim", 1): return .trim(byteCount: try byteCount(rest.first ?? ""))
        case ("explain", _): throw UsageError("calo cache explain takes one URL.")
        case ("trim", _): throw UsageError("calo cache trim takes one size: 64M, say.")
        case ("stats", _), ("list", _), ("verify", _), ("clear", _):
            throw UsageError("calo cache \(name) takes nothing more.")
        default: throw UsageError("calo cache can't do \(UsageError.quoted(name)). Use one of \(names).")
        }
    }

    /// Reads a number of bytes: digits, and K, M or G for the powers of 1,024.
    static func byteCount(_ text: String) throws -> Int {
        let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
        var digits = Substring(text)
        var shift = 0
        if let last = digits.last, let unit = shifts[Character(last.uppercased())] {
            shift = unit
            digits.removeLast()
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(digits),
            number <= .max >> shift
        else {
            throw UsageError("\(UsageError.quoted(text)) is no size. Use a number of bytes, with K, M or G if need be.")
        }
        return number << shift
    }

    private static let names = "stats, list, explain, verify, trim, clear"

    static let parser = OptionParser<CacheOptions>(options: [
        .init("--store", short: "-s", value: "DIR", help: "the folder of the store") { options, value in
            guard !value.isEmpty else { throw UsageError("--store needs the name of a folder.") }
            options.folder = value
        },
        .init(
            "--partition", short: "-p", value: "NAME", help: "for explain and clear: the partition; none is the default"
        ) { $0.partition = $1 },
        .init(
            "--header", short: "-H", value: "'K: V'",
            help: "for explain: a field of the request; may be repeated"
        ) { $0.headers.append(try HeaderArgument($1)) },
    ])

    static let help = """
        Looks at a store of responses, and tidies it up. Programs may use the store meanwhile. A program's default store is
        the folder PROGRAM/calotype in $XDG_CACHE_HOME or ~/.cache.

        usage: calo cache stats|list|verify --store DIR [options]
               calo cache explain --store DIR [options] URL
               calo cache trim --store DIR [options] SIZE
               calo cache clear --store DIR [options]

        \(parser.help)

        stats    how much there is, and what it takes on disk
        list     an entry a line: where it came from, its status, type and size, when it was stored and used
        explain  whether a request for the URL would be answered from the store, and why
        verify   read everything, and remove what is damaged or belongs to nothing
        trim     remove the least recently used until the rest takes no more than SIZE: 500000, 64M, 1G
        clear    remove everything, or one partition

        A store knows its entries by digests of their URLs, which can't be turned back: list shows scheme, host and
        port alone, and a tag for the partition.

        Exit status: 0; 1 if verify found something amiss, or the store couldn't be used; 2 for arguments that make no
        sense.
        """
}

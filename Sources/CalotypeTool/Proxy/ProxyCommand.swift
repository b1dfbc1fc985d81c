import Calotype
import CalotypeTesting
import Foundation

extension Command {
    /// `calo http-cache-proxy`.
    static let httpCacheProxy = Command(
        name: "http-cache-proxy", summary: "put the HTTP cache before a server, to look at it or to test it",
        help: ProxyOptions.help
    ) { arguments in
        let options = try ProxyOptions(arguments)
        // What is asked isn't kept: a proxy runs for long.
        let server = try LoopbackServer(port: options.port, logLimit: 0)
        let proxy = CacheProxy(
            origin: options.origin, store: options.makeStore(),
            log: options.printsLog ? { @Sendable line in Console.print(line) } : nil)
        server.stream(proxy.answer)
        Console.print("http://127.0.0.1:\(server.port) answers for \(options.origin)")
        let (_, wasInterrupted) = try await Interruption.cancelling { await untilCancelled() }
        server.stop()
        return wasInterrupted ? Interruption.exitCode : .success
    }

    private static func untilCancelled() async {
        let (never, _) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
    }
}

/// What `calo http-cache-proxy` was told.
struct ProxyOptions: Sendable {
    private(set) var port = 0
    /// Scheme and authority, without a slash behind.
    private(set) var origin = ""
    private(set) var storeFolder: String?
    private(set) var storeByteLimit = 256 << 20
    private(set) var printsLog = false
    private var isListening = false

    /// Reads the arguments.
    ///
    /// - Throws: ``UsageError`` or ``HelpRequest``.
    init(_ arguments: [String]) throws {
        let operands = try Self.parser.parse(arguments, into: &self)
        if let operand = operands.first {
            throw UsageError("\(UsageError.quoted(operand)) is one argument too many.")
        }
        guard isListening else { throw UsageError("Where to listen? Say --listen 127.0.0.1:PORT.") }
        guard !origin.isEmpty else { throw UsageError("Which server to ask? Say --origin URL.") }
    }

    /// The store: in memory unless there is a folder for it.
    func makeStore() -> any ResponseStore {
        guard let storeFolder else { return MemoryStore(byteLimit: storeByteLimit) }
        return SQLiteStore(
            directory: URL(filePath: storeFolder, directoryHint: .isDirectory),
            options: .init(byteLimit: storeByteLimit)
        ) { event in
            if case .cacheFault(let operation, let error) = event {
                Console.complain("the store couldn't \(operation): \(error)")
            }
        }
    }

    static let parser = OptionParser<ProxyOptions>(options: [
        .init(
            "--listen", value: "127.0.0.1:PORT", help: "where clients connect; port 0 takes a free one and prints it"
        ) { options, text in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == "127.0.0.1" || parts[0] == "localhost" else {
                throw UsageError("--listen is 127.0.0.1:PORT: nobody else can connect.")
            }
            options.port = try Int(String(parts[1]), of: "The port of --listen", in: 0...65_535)
            options.isListening = true
        },
        .init("--origin", value: "URL", help: "the server that is asked: http://HOST[:PORT] or https://HOST[:PORT]") {
            options, text in
            let text = text.hasSuffix("/") ? String(text.dropLast()) : text
            guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
                parts.host?.isEmpty == false, parts.path.isEmpty, parts.query == nil, parts.fragment == nil,
                parts.user == nil, parts.password == nil
            else { throw UsageError("--origin is http://HOST[:PORT] or https://HOST[:PORT], without a path.") }
            options.origin = text
        },
        .init("--store", value: "DIR", help: "keep responses in this folder; in memory unless there is one") {
            guard !$1.isEmpty else { throw UsageError("--store needs the name of a folder.") }
            $0.storeFolder = $1
        },
        .init("--limit", value: "MIB", help: "how much the store keeps, in MiB: 256 unless changed") { options, text in
            options.storeByteLimit = try Int(text, of: "--limit", in: 1...1_048_576) << 20
        },
        .init("--log", help: "print a line for each answer: the method, the path, the status, and why") { options, _ in
            options.printsLog = true
        },
    ])

    static let help = """
        Answers for another server with Calotype's HTTP cache between: a private cache by RFC 9111, on this machine alone.
        Requests of any method, responses of any status and bodies of any kind pass; what may be stored and isn't larger
        than 64 MiB is kept. Interim responses pass; trailers don't.

        usage: calo http-cache-proxy --listen 127.0.0.1:PORT --origin URL [options]

        \(parser.help)

        Exit status: 1 if it can't listen; 2 for arguments that make no sense; 130 after an interrupt, which ends it.
        """
}

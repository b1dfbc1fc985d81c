import Foundation

/// The program `calo`: finds the command that the arguments name and runs it.
enum Tool {
    static let version = "0.1.0"

    /// The commands in the order of the help. A new one is one line here.
    static let commands: [Command] = [
        .load,
        .inspect,
        .demo,
        .demoRun,
        .cache,
        .storeChurn,
        .soak,
        .bench,
        .httpCacheProxy,
    ]

    /// The arguments after the program's name. Bytes that aren't UTF-8 are kept: see ``FileName``.
    static var commandLine: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { FileName.decoded($0) }
        }
    }

    /// Runs the command, and reports what it throws and what couldn't be printed.
    static func run(_ arguments: [String]) async -> ExitCode {
        let code = await runCommand(arguments)
        guard let fault = Console.outputFault else { return code }
        if Console.hasLostItsReader { return .outputClosed }
        Console.complain("can't write to standard output: \(String(cString: strerror(fault))).")
        return code == .success ? .failure : code
    }

    private static func runCommand(_ arguments: [String]) async -> ExitCode {
        let name = arguments.first ?? ""
        switch name {
        case "help" where arguments.count > 1:
            return await runCommand([arguments[1], "--help"])
        case "--help", "-h", "help":
            Console.print(help)
            return .success
        case "--version":
            Console.print("calo \(version)")
            return .success
        default: break
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            Console.complain(
                name.isEmpty
                    ? "which command? One of \(commandNames). See calo --help."
                    : "\(UsageError.quoted(name)) is no command. Use one of \(commandNames); see calo --help.")
            return .usage
        }
        do {
            return try await command.run(Array(arguments.dropFirst()))
        } catch is HelpRequest {
            Console.print(command.help)
            return .success
        } catch let error as UsageError {
            Console.complain("\(error.message) See calo \(command.name) --help.")
            return .usage
        } catch {
            Console.complain("\(error)")
            return .failure
        }
    }

    private static var listed: [Command] { commands.filter { !$0.summary.isEmpty } }
    private static var commandNames: String { listed.map(\.name).joined(separator: ", ") }

    private static var help: String {
        let width = listed.map(\.name.count).max() ?? 0
        let list = listed.map { "  \($0.name.padded(to: width))  \($0.summary)" }
        return """
            Loads remote and local images the way apps do with Calotype.

            usage: calo COMMAND [options]

            \(list.joined(separator: "\n"))

            calo COMMAND --help tells more about one. calo --version prints the version.
            """
    }
}

/// Something that `calo` can do.
struct Command: Sendable {
    let name: String
    /// One line for the list of commands; empty for what isn't listed.
    let summary: String
    /// What `calo NAME --help` prints.
    let help: String
    /// Gets the arguments after the command's name. May throw ``UsageError``, ``HelpRequest`` or what describes itself.
    let run: @Sendable ([String]) async throws -> ExitCode
}

/// How the program ends.
enum ExitCode: Int32 {
    case success = 0
    /// Something couldn't be done, and was named.
    case failure = 1
    /// The arguments make no sense; nothing was done.
    case usage = 2
    /// Stopped by SIGINT: 128 and the signal's number, as shells have it.
    case interrupted = 130
    /// Stopped by SIGTERM, likewise.
    case terminated = 143
    /// Nobody read the output to its end: 128 and the number of SIGPIPE.
    case outputClosed = 141
}

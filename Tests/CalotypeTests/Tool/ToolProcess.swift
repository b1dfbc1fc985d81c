import Foundation
import Testing

/// The built program `calo`, run as users run it: by itself, with pipes for its streams.
struct ToolProcess {
    let status: Int32
    let output: String
    let errors: String

    var all: String { output + errors }

    /// The lines of standard output.
    var lines: [Substring] { output.split(separator: "\n") }

    /// Runs the program to its end.
    ///
    /// - Parameter input: What it reads from standard input.
    init(_ arguments: String..., input: String = "") async throws {
        try await self.init(arguments, input: input)
    }

    /// - Parameter folder: Where it runs, if not where the tests do.
    init(_ arguments: [String], input: String = "", folder: URL? = nil) async throws {
        let running = try Running(arguments, input: input, folder: folder)
        self = await running.end()
    }

    private init(status: Int32, output: Data, errors: Data) {
        self.status = status
        self.output = String(decoding: output, as: UTF8.self)
        self.errors = String(decoding: errors, as: UTF8.self)
    }

    /// A program that hasn't ended yet.
    struct Running {
        private let process = Process()
        private let output = Pipe()
        private let errors = Pipe()

        init(_ arguments: [String], input: String = "", folder: URL? = nil) throws {
            let standardInput = Pipe()
            let program: URL = try #require(ToolProcess.program, "calo isn't beside the tests. Build it first.")
            process.executableURL = program
            process.arguments = arguments
            if let folder { process.currentDirectoryURL = folder }
            process.standardInput = standardInput
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try standardInput.fileHandleForWriting.close()
        }

        /// What Ctrl-C does.
        func interrupt() {
            process.interrupt()
        }

        /// Returns once it has ended.
        func end() async -> ToolProcess {
            // Read to the end, since a full pipe would stop the program; on threads of their own, since they block.
            async let output = Self.bytes(of: self.output)
            async let errors = Self.bytes(of: self.errors)
            let (outputBytes, errorBytes) = await (output, errors)
            process.waitUntilExit()
            return ToolProcess(status: process.terminationStatus, output: outputBytes, errors: errorBytes)
        }

        private static func bytes(of pipe: Pipe) async -> Data {
            await withCheckedContinuation { continuation in
                Thread {
                    continuation.resume(returning: pipe.fileHandleForReading.readDataToEndOfFile())
                }.start()
            }
        }
    }

    /// Test bundle and program lie in one folder; on Apple platforms the tests are deeper inside their bundle.
    private static let program: URL? = {
        var folder = Bundle.module.bundleURL
        for _ in 0..<5 {
            folder.deleteLastPathComponent()
            let program = folder.appending(path: "calo")
            if FileManager.default.isExecutableFile(atPath: program.path(percentEncoded: false)) { return program }
        }
        return nil
    }()
}

/// A folder that is removed when the test is done with it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var path: String { url.path(percentEncoded: false) }

    /// Writes a file, and the folders above it.
    @discardableResult
    func write(_ data: Data, to name: String) throws -> String {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        return file.path(percentEncoded: false)
    }

    /// The names of the files in a folder inside, sorted.
    func names(in name: String) -> [String] {
        let folder = url.appending(path: name).path(percentEncoded: false)
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    func data(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }
}

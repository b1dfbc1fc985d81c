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
    ///
    /// Started by posix_spawn itself: Foundation's `Process` reads beyond the end of a buffer while it looks for open
    /// descriptors, and now and then that ends the tests where many are open.
    struct Running {
        private let id: pid_t
        private let output: FileHandle
        private let errors: FileHandle

        /// - Parameters:
        ///   - terminal: Whether standard error is a terminal, of 80 columns.
        ///   - shell: What a shell runs, in which `"$@"` is the program with its arguments.
        init(
            _ arguments: [String], input: String = "", folder: URL? = nil, terminal: Bool = false,
            shell: String = #"exec "$@""#
        ) throws {
            let program: URL = try #require(ToolProcess.program, "calo isn't beside the tests. Build it first.")
            let path = program.path(percentEncoded: false)
            let (standardInput, output) = (try Pipes(), try Pipes())
            let errors = terminal ? try Pipes.terminal() : try Pipes()
            #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            #else
            var actions = posix_spawn_file_actions_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, standardInput.readEnd.fileDescriptor, 0)
            posix_spawn_file_actions_adddup2(&actions, output.writeEnd.fileDescriptor, 1)
            posix_spawn_file_actions_adddup2(&actions, errors.writeEnd.fileDescriptor, 2)

            var command = [path] + arguments
            // Not every C library's headers have the action that changes the folder.
            command =
                ["/bin/sh", "-c", #"cd "$0" && \#(shell)"#, folder?.path(percentEncoded: false) ?? "."] + command
            var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var id: pid_t = 0
            try #require(posix_spawn(&id, command[0], &actions, nil, &words, environ) == 0)
            self.id = id
            self.output = output.readEnd
            self.errors = errors.readEnd
            try output.writeEnd.close()
            try errors.writeEnd.close()
            // Fits into the pipe, so that nobody has to read yet.
            if !input.isEmpty { try standardInput.writeEnd.write(contentsOf: Data(input.utf8)) }
            try standardInput.writeEnd.close()
        }

        /// What Ctrl-C does, or another signal.
        func interrupt(by signal: Int32 = SIGINT) {
            kill(id, signal)
        }

        /// Ctrl-C again and again, by somebody who waits for the end.
        func interruptUntilItEnds() async throws {
            try await waitUntil {
                interrupt()
                // Nobody else has the other end of what it complains to.
                return await Self.blocking { [errors] in Self.poll(errors, for: 0, within: 50) } & Int16(POLLHUP) != 0
            }
        }

        /// Returns once it has printed something, and leaves that to be read.
        func waitForOutput() async {
            _ = await Self.blocking { [output] in Self.poll(output, for: Int16(POLLIN), within: -1) }
        }

        /// What has become of a pipe, within so many milliseconds.
        private static func poll(_ file: FileHandle, for events: Int16, within milliseconds: Int32) -> Int16 {
            var state = pollfd(fd: file.fileDescriptor, events: events, revents: 0)
            while Foundation.poll(&state, 1, milliseconds) < 0, errno == EINTR {}
            return state.revents
        }

        /// Ends it at once, wherever it is.
        func killNow() {
            kill(id, SIGKILL)
        }

        /// What it prints first, as soon as it does. No part of what ``end()`` returns.
        func firstOutput() async -> String {
            String(decoding: await Self.blocking { [output] in output.availableData }, as: UTF8.self)
        }

        /// Returns once it has ended.
        func end() async -> ToolProcess {
            // Read to the end, since a full pipe would stop the program.
            async let output = Self.blocking { [output] in output.readDataToEndOfFile() }
            async let errors = Self.blocking { [errors] in Self.all(of: errors) }
            let (outputBytes, errorBytes) = await (output, errors)
            let status = await Self.blocking { [id] in
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                return status
            }
            // As the shell has it: the exit code, or 128 and the number of the signal.
            let signal = status & 0x7F
            return ToolProcess(
                status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, output: outputBytes, errors: errorBytes)
        }

        /// All there is to read. A terminal ends with an error, which isn't one.
        private static func all(of file: FileHandle) -> Data {
            var data = Data()
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(file.fileDescriptor, &bytes, bytes.count)
                if count > 0 {
                    data.append(contentsOf: bytes[..<count])
                } else if count == 0 || errno != EINTR {
                    return data
                }
            }
        }

        /// Runs what blocks on a thread of its own.
        private static func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
            await withCheckedContinuation { continuation in
                Thread { continuation.resume(returning: body()) }.start()
            }
        }
    }

    /// The two ends of a pipe, which no other program inherits.
    private struct Pipes {
        let readEnd: FileHandle
        let writeEnd: FileHandle

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            self.init(ends)
        }

        private init(_ ends: [Int32]) {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            readEnd = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
            writeEnd = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        }

        /// A terminal that nobody controls: what is written to one end is read from the other.
        static func terminal() throws -> Pipes {
            var (readEnd, writeEnd): (Int32, Int32) = (-1, -1)
            var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
            try #require(openpty(&readEnd, &writeEnd, nil, nil, &size) == 0)
            return Pipes([readEnd, writeEnd])
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

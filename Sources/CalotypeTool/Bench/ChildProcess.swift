import Foundation

/// Programs that a command runs and waits for.
enum ChildProcess {
    /// Runs a program to its end; cancelling ends it.
    ///
    /// - Parameter onOutput: Gets what the program prints, piece by piece as it comes, on a thread that may block.
    /// - Returns: Standard output and standard error, as they came: one pipe, so that neither waits for the other.
    /// - Throws: ``BenchError`` if it ended otherwise than with 0; `CancellationError`.
    static func run(
        _ program: String, _ arguments: [String], onOutput: @escaping @Sendable (Data) -> Void = { _ in }
    ) async throws -> String {
        try Task.checkCancellation()
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try start(process)
        let output = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Waiting blocks: not on a thread of the cooperative pool.
                DispatchQueue.global().async {
                    var data = Data()
                    // What is there, without waiting for more: empty at the end alone.
                    while case let part = pipe.fileHandleForReading.availableData, !part.isEmpty {
                        data += part
                        onOutput(part)
                    }
                    process.waitUntilExit()
                    continuation.resume(returning: String(decoding: data, as: UTF8.self))
                }
            }
        } onCancel: {
            process.terminate()
        }
        try Task.checkCancellation()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let name = URL(filePath: program).lastPathComponent
            let last = output.split(separator: "\n").suffix(3).joined(separator: " / ")
            throw BenchError("\(name) ended with status \(process.terminationStatus): \(last)")
        }
        return output
    }

    /// Starts a process with no signal blocked. A process inherits that from the thread that starts it, and threads of
    /// Dispatch block most: SIGTERM wouldn't end the child, and a shell wouldn't hear that its own child has ended.
    static func start(_ process: Process) throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    /// The file of this program.
    static func thisProgram() throws -> String {
        guard let path = Bundle.main.executablePath else { throw BenchError("This program's file isn't known.") }
        return path
    }

    /// Looks for a program where the shell would, and where servers are installed.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

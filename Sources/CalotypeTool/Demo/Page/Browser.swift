import Foundation

/// Whatever shows web pages here.
struct Browser {
    let environment: [String: String]
    /// How long its end is awaited. A browser that is started by this very call may run for as long as it likes.
    let patience: Duration

    init(
        environment: [String: String] = ProcessInfo.processInfo.environment, patience: Duration = .seconds(3)
    ) {
        self.environment = environment
        self.patience = patience
    }

    #if canImport(Darwin)
    private static let opener = "open"
    private var hasScreen: Bool { true }
    #else
    private static let opener = "xdg-open"
    private var hasScreen: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
    }
    #endif

    /// Opens a page.
    ///
    /// - Returns: Why it didn't open, in a sentence; `nil` if it did, as far as can be told.
    func open(_ path: String) async -> String? {
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        let program = folders.map { "\($0)/\(Self.opener)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let program else { return "There is no \(Self.opener) here." }
        guard hasScreen else { return "There is no screen here." }

        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [path]
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            end.yield($0.terminationStatus)
            end.finish()
        }
        do {
            try ChildProcess.start(process)
        } catch {
            return "\(Self.opener) can't be run: \(error.localizedDescription)"
        }
        let timer = Task {
            try await Task.sleep(for: patience)
            end.finish()
        }
        defer { timer.cancel() }
        for await status in ends where status != 0 {
            return "\(Self.opener) ended with status \(status): is there a browser?"
        }
        return nil
    }
}

import Foundation

/// What the cases of a run share: a temporary folder and this program, to be run again.
actor BenchContext {
    /// Goes when the run ends.
    nonisolated let folder: URL
    private var counter: InstructionCounter?

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "calo-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Gives `body` a context whose folder is removed afterwards, however that ends.
    static func with<Result: Sendable>(
        _ body: @Sendable (BenchContext) async throws -> Result
    ) async throws -> Result {
        let context = try BenchContext()
        defer { try? FileManager.default.removeItem(at: context.folder) }
        return try await body(context)
    }

    /// Made when it is first wanted.
    func instructionCounter() async throws -> InstructionCounter {
        if let counter { return counter }
        let made = try await InstructionCounter(folder: folder)
        counter = made
        return made
    }

    /// The instructions of one operation: the difference of two runs of so many, so that what starting costs falls out.
    func instructions(of name: String, _ counts: (few: Int, many: Int)) async throws -> Double {
        let counter = try await instructionCounter()
        let first = try await counter.count(["bench-run", name, "\(counts.few)"])
        let second = try await counter.count(["bench-run", name, "\(counts.many)"])
        return Double(second - first) / Double(counts.many - counts.few)
    }

    /// Runs `bench-measure` in a process of its own.
    ///
    /// - Returns: The numbers it printed; one at least.
    nonisolated func measure(_ arguments: [String]) async throws -> [Double] {
        let output = try await ChildProcess.run(ChildProcess.thisProgram(), ["bench-measure"] + arguments)
        let numbers = output.split(whereSeparator: \.isWhitespace).map { Double($0) }
        guard !numbers.isEmpty, !numbers.contains(nil) else {
            throw BenchError("bench-measure \(arguments.joined(separator: " ")) printed no numbers: \(output).")
        }
        return numbers.compactMap { $0 }
    }
}

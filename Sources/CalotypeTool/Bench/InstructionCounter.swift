import Foundation

/// Counts the instructions that this program takes in user space, by valgrind's cachegrind.
struct InstructionCounter: Sendable {
    private let valgrind: String
    /// This program without debug information, since valgrind 3.19 can't read Swift's; as it is where there is no strip.
    private let program: String

    /// - Parameter folder: Gets the copy.
    /// - Throws: ``BenchError`` if there is no valgrind.
    init(folder: URL) async throws {
        guard let valgrind = ChildProcess.find("valgrind") else {
            throw BenchError("There is no valgrind to count with: run scripts/setup.sh bench.")
        }
        self.valgrind = valgrind
        let original = try ChildProcess.thisProgram()
        guard let strip = ChildProcess.find("strip") else {
            program = original
            return
        }
        let copy = folder.appending(path: "calo").path(percentEncoded: false)
        _ = try await ChildProcess.run(strip, ["--strip-debug", "-o", copy, original])
        program = copy
    }

    /// The instructions of a run of this program with these arguments.
    func count(_ arguments: [String]) async throws -> Int {
        let output = try await ChildProcess.run(
            valgrind,
            ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program] + arguments)
        guard let count = Self.parse(output) else { throw BenchError("valgrind printed no count: \(output)") }
        return count
    }

    /// Finds the total in what valgrind prints: `==123== I   refs:      12,345,678`.
    static func parse(_ output: String) -> Int? {
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 3, words.suffix(3).first == "I", words[words.count - 2] == "refs:" else { continue }
            return Int(words[words.count - 1].filter { $0 != "," })
        }
        return nil
    }
}

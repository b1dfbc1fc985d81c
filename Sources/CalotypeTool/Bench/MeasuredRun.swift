import Foundation

extension Command {
    /// Runs one case in a process of its own, as `calo bench` asks for: `bench-run CASE COUNT`, `bench-measure CASE`.
    ///
    /// - Returns: How it went; `nil` if the arguments ask for something else.
    static func measuredRun(_ arguments: [String]) -> ExitCode? {
        switch arguments.first {
        case "bench-run":
            guard arguments.count == 3, let operation = PipelineCase(rawValue: arguments[1]),
                let count = Int(arguments[2])
            else { return .usage }
            return wait { try await operation.run(count) }
        case "bench-measure":
            guard arguments.count == 2, let measurement = ProcessCase(rawValue: arguments[1]) else { return .usage }
            return wait { Console.print("\(try measurement.measure())") }
        default: return nil
        }
    }

    private static func wait(for body: @escaping @Sendable () async throws -> Void) -> ExitCode {
        let end = DispatchSemaphore(value: 0)
        // The task alone writes it, and it is read after the task has said that it is done.
        nonisolated(unsafe) var code = ExitCode.success
        Task.detached {
            do {
                try await body()
            } catch {
                Console.complain("\(error)")
                code = .failure
            }
            end.signal()
        }
        end.wait()
        return code
    }
}

import Foundation

extension Command {
    /// Runs one case in a process of its own, as `calo bench` asks for: `bench-run CASE COUNT`,
    /// `bench-measure CASE [PARAMETER ...]`. The latter prints numbers. And `bench-decode WIDTH FILE [QUALITY]`, for
    /// `make bench-decode`.
    ///
    /// - Returns: How it went; `nil` if the arguments ask for something else.
    static func measuredRun(_ arguments: [String]) -> ExitCode? {
        switch arguments.first {
        case "bench-run":
            guard arguments.count == 3, let count = Int(arguments[2]) else { return .usage }
            if let frame = FrameCase(rawValue: arguments[1]) {
                // This is the main thread.
                MainActor.assumeIsolated { frame.run(count) }
                return .success
            }
            guard let operation = PipelineCase(rawValue: arguments[1]) else { return .usage }
            return wait { try await operation.run(count) }
        case "bench-measure":
            if arguments.count == 2, let frame = FrameCase(rawValue: arguments[1]) {
                Console.print("\(MainActor.assumeIsolated { frame.nanoseconds() })")
                return .success
            }
            guard let measurement = measurement(Array(arguments.dropFirst())) else { return .usage }
            return wait {
                let numbers = try await measurement()
                Console.print(numbers.map { "\($0)" }.joined(separator: " "))
            }
        case "bench-decode":
            return wait {
                guard let turns = try DecodeTurns(Array(arguments.dropFirst())) else {
                    throw BenchError("bench-decode takes WIDTH FILE [balanced|fast].")
                }
                try await turns.run()
            }
        default: return nil
        }
    }

    private typealias Measurement = @Sendable () async throws -> [Double]

    private static func measurement(_ arguments: [String]) -> Measurement? {
        if arguments.count == 1, let measurement = ProcessCase(rawValue: arguments[0]) {
            return { [try await measurement.measure()] }
        }
        if arguments.count == 1, let storeCase = StoreCase(rawValue: arguments[0]) {
            return { try await StoreRound.measure(storeCase) }
        }
        if arguments.count == 1, let memoryCase = MemoryPeerCase(rawValue: arguments[0]) {
            return { memoryCase.measure() }
        }
        if let round = ImageRound(arguments) { return { [try await round.cpuMicroseconds()] } }
        if let round = TransportRound(arguments) { return { [try await round.cpuMicroseconds()] } }
        if let round = DecodeRound(arguments) { return { try round.measure() } }
        return nil
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

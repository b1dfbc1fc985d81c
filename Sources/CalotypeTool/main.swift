import Foundation
let args = CommandLine.arguments
if args.count >= 4, args[1] == "bench-run", let c = PipelineCase(rawValue: args[2]), let n = Int(args[3]) {
    let done = DispatchSemaphore(value: 0)
    Task.detached { do { try await c.run(n) } catch { print(error) }; done.signal() }
    done.wait()
} else if args.count >= 3, args[1] == "bench-measure", let c = ProcessCase(rawValue: args[2]) {
    print(try c.measure())
}

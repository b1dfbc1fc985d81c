import Calotype
import Foundation

/// Decodes one file again and again, a line on standard input at a time: what `make bench-decode` measures beside its
/// peers, which take turns with it.
///
///     memory       the bytes by which the process's peak lies above what was resident before one decode
///     time COUNT   the CPU milliseconds of one decode, the mean of that many
///     cancel COUNT two times in milliseconds, the longest of that many: from the cancellation of a load that is decoding until
///                  its caller has returned, and until a decoder that is cancelled has
///     write FILE   the pixels, raw: "WIDTH HEIGHT CHANNELS\n" and the bytes
///     unsupported  is the answer to each of them if there is no decoder for the format
struct DecodeTurns {
    private let data: Data
    private let width: Int
    private let options: DecodeOptions

    /// `WIDTH FILE [QUALITY]`; `nil` for anything else.
    init?(_ arguments: [String]) throws {
        guard (2...3).contains(arguments.count), let width = Int(arguments[0]), width > 0 else { return nil }
        let quality: ResizeQuality
        switch arguments.count == 3 ? arguments[2] : "balanced" {
        case "balanced": quality = .balanced
        case "fast": quality = .fast
        default: return nil
        }
        self.width = width
        data = try Data(contentsOf: URL(filePath: arguments[1]))
        // 48 megapixels of grain as PNG are longer than what is taken from the network.
        let limits = ImageLimits(bodyByteCount: 256 << 20)
        options = DecodeOptions(target: .fit(width: width, height: nil), quality: quality, limits: limits)
    }

    /// Answers until there are no more lines.
    func run() async throws {
        while let line = readLine() {
            do {
                Console.print(try await answer(line.split(separator: " ", maxSplits: 1).map(String.init)))
            } catch let error as ImageError where error.isUnsupported {
                Console.print("unsupported")
            }
        }
    }

    private func answer(_ words: [String]) async throws -> String {
        switch (words.first, words.dropFirst().first) {
        case ("memory", nil):
            // The code that reads the numbers is in memory by then.
            _ = (ProcessMemory.residentByteCount, ProcessMemory.peakByteCount)
            let before = ProcessMemory.residentByteCount
            _ = try decode()
            return "\(ProcessMemory.peakByteCount - before)"
        case ("time", let count?):
            guard let count = Int(count), count > 0 else { throw BenchError("\(count) is no count.") }
            let start = ProcessTime.nanoseconds()
            for _ in 0..<count { _ = try decode() }
            return "\(Double(ProcessTime.nanoseconds() - start) / 1e6 / Double(count))"
        case ("cancel", let count?):
            guard let count = Int(count), count > 0 else { throw BenchError("\(count) is no count.") }
            let whole = try ContinuousClock().measure { _ = try decode() }
            // Even steps of the time that a decode takes.
            let moments = (1...count).map { whole * $0 / (count + 1) }
            let caller = try await longestReturn(moments, whole: whole)
            return "\(caller.millisecondCount) \(longestEnd(moments).millisecondCount)"
        case ("write", let path?):
            let bitmap = try decode()
            var file = Data("\(bitmap.size.width) \(bitmap.size.height) 4\n".utf8)
            bitmap.withUnsafeBytes { file.append(contentsOf: $0) }
            try file.write(to: URL(filePath: path))
            return "written"
        default: throw BenchError("A line that asks for nothing known.")
        }
    }

    /// Cancels loads while they decode.
    private func longestReturn(_ moments: [Duration], whole: Duration) async throws -> Duration {
        var configuration = ImagePipeline.Configuration(memory: MemoryCache(costLimit: 0), store: nil)
        configuration.limits = options.limits
        let pipeline = ImagePipeline(configuration)
        var longest = Duration.zero
        for (index, moment) in moments.enumerated() {
            let request = ImageRequest(data: data, id: ResourceID("\(index)"), size: .pixels(width, width, .fit))
            let load = Task { try await pipeline.image(for: request) }
            try await Task.sleep(for: moment)
            let start = ContinuousClock.now
            load.cancel()
            let result = await load.result
            longest = max(longest, ContinuousClock.now - start)
            if case .failure(let error) = result, !(error is CancellationError) { throw error }
            // A decoder that can't be interrupted goes on until its end.
            try await Task.sleep(for: whole - moment)
        }
        return longest
    }

    /// Cancels decodes on a thread of their own.
    private func longestEnd(_ moments: [Duration]) -> Duration {
        moments.map { moment in
            let cancellation = DecodeCancellation()
            let end = DispatchSemaphore(value: 0)
            var options = options
            options.cancellation = cancellation
            Thread { [data, options] in
                // It is cancelled, or done before: either way it has returned.
                _ = try? ImageDecoders.system.decode(data, options: options)
                end.signal()
            }.start()
            Thread.sleep(forTimeInterval: moment.millisecondCount / 1_000)
            let start = ContinuousClock.now
            cancellation.cancel()
            end.wait()
            return ContinuousClock.now - start
        }.max() ?? .zero
    }

    private func decode() throws -> Bitmap { try ImageDecoders.system.decode(data, options: options).bitmap }
}

extension ImageError {
    fileprivate var isUnsupported: Bool {
        if case .unsupportedFormat = reason { true } else { false }
    }
}

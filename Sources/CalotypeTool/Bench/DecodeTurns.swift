import Calotype
import Foundation

/// Decodes one file again and again, a line on standard input at a time: what `make bench-decode` measures beside its
/// peers, which take turns with it.
///
///     memory       the bytes by which the process's peak lies above what was resident before one decode
///     time COUNT   the CPU milliseconds of one decode, the mean of that many
///     cancel COUNT the longest time in milliseconds that a decode goes on once it is cancelled, of that many
///     write FILE   the pixels, raw: "WIDTH HEIGHT CHANNELS\n" and the bytes
///     unsupported  is the answer to each of them if there is no decoder for the format
struct DecodeTurns {
    private let data: Data
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
        data = try Data(contentsOf: URL(filePath: arguments[1]))
        // 48 megapixels of grain as PNG are longer than what is taken from the network.
        let limits = ImageLimits(bodyByteCount: 256 << 20)
        options = DecodeOptions(target: .fit(width: width, height: nil), quality: quality, limits: limits)
    }

    /// Answers until there are no more lines.
    func run() throws {
        while let line = readLine() {
            do {
                Console.print(try answer(line.split(separator: " ", maxSplits: 1).map(String.init)))
            } catch let error as ImageError where error.isUnsupported {
                Console.print("unsupported")
            }
        }
    }

    private func answer(_ words: [String]) throws -> String {
        switch (words.first, words.dropFirst().first) {
        case ("memory", nil):
            let before = ProcessMemory.residentByteCount
            _ = try decode()
            return "\(ProcessMemory.peakByteCount - before)"
        case ("time", let count?):
            guard let count = Int(count), count > 0 else { throw BenchError("\(count) is no count.") }
            let start = DecodeRound.cpuNanoseconds()
            for _ in 0..<count { _ = try decode() }
            return "\(Double(DecodeRound.cpuNanoseconds() - start) / 1e6 / Double(count))"
        case ("cancel", let count?):
            guard let count = Int(count), count > 0 else { throw BenchError("\(count) is no count.") }
            return "\(try longestCancel(count).millisecondCount)"
        case ("write", let path?):
            let bitmap = try decode()
            var file = Data("\(bitmap.size.width) \(bitmap.size.height) 4\n".utf8)
            bitmap.withUnsafeBytes { file.append(contentsOf: $0) }
            try file.write(to: URL(filePath: path))
            return "written"
        default: throw BenchError("A line that asks for nothing known.")
        }
    }

    /// Cancels decodes at even steps of the time that one takes, on a thread of their own.
    private func longestCancel(_ count: Int) throws -> Duration {
        let start = ContinuousClock.now
        _ = try decode()
        let whole = ContinuousClock.now - start
        return (1...count).map { step in
            let cancellation = DecodeCancellation()
            let end = DispatchSemaphore(value: 0)
            var options = options
            options.cancellation = cancellation
            Thread { [data, options] in
                // It is cancelled, or done before: either way it has returned.
                _ = try? ImageDecoders.system.decode(data, options: options)
                end.signal()
            }.start()
            Thread.sleep(forTimeInterval: (whole * step / (count + 1)).millisecondCount / 1_000)
            let moment = ContinuousClock.now
            cancellation.cancel()
            end.wait()
            return ContinuousClock.now - moment
        }.max() ?? .zero
    }

    private func decode() throws -> Bitmap { try ImageDecoders.system.decode(data, options: options).bitmap }
}

extension ImageError {
    fileprivate var isUnsupported: Bool {
        if case .unsupportedFormat = reason { true } else { false }
    }
}

import Calotype
import Foundation

extension Command {
    /// Scrolls the feed of `calo demo` on one side, in a process of its own: `demo-run SIDE PORT ROWS FRAMES`.
    ///
    /// Prints a line for each percent that is done, and then the result as JSON on one line.
    static let demoRun = Command(name: "demo-run", summary: "", help: "Runs a part of calo demo.") { arguments in
        guard let process = FeedProcess(arguments) else { throw UsageError("demo-run is for calo demo to call.") }
        let result = try await process.run()
        Console.print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
        return .success
    }
}

/// One side's feed, and how the process that shows it talks to the one that asked for it.
struct FeedProcess: Sendable {
    let side: FeedSide
    let port: Int
    let rowCount: Int
    let passFrameCount: Int

    init(side: FeedSide, port: Int, rowCount: Int, passFrameCount: Int) {
        self.side = side
        self.port = port
        self.rowCount = rowCount
        self.passFrameCount = passFrameCount
    }

    // MARK: In the process that asks

    private var arguments: [String] { ["demo-run", side.rawValue, "\(port)", "\(rowCount)", "\(passFrameCount)"] }

    /// Starts the other process, and returns what it has found.
    ///
    /// - Parameter onProgress: Gets the part that is done. Called on any thread.
    func start(onProgress: @escaping @Sendable (Double) -> Void) async throws -> FeedResult {
        let output = try await ChildProcess.run(ChildProcess.thisProgram(), arguments) { part in
            // A number that arrives in two pieces is worth no more than the next one.
            for line in part.split(separator: UInt8(ascii: "\n")) where line.count <= 3 {
                if let percent = Int(String(decoding: line, as: UTF8.self)) { onProgress(Double(percent) / 100) }
            }
        }
        let last = output.split(separator: "\n").last ?? ""
        return try JSONDecoder().decode(FeedResult.self, from: Data(last.utf8))
    }

    // MARK: In the process that is asked

    fileprivate init?(_ arguments: [String]) {
        guard arguments.count == 4, let side = FeedSide(rawValue: arguments[0]) else { return nil }
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        guard numbers.count == 3, numbers.allSatisfy({ $0 > 0 }) else { return nil }
        self.init(side: side, port: numbers[0], rowCount: numbers[1], passFrameCount: numbers[2])
    }

    fileprivate func run() async throws -> FeedResult {
        let decoder = FeedDecoder()
        let pipeline = side.pipeline(decoder: decoder)
        let (record, film) = try await scroll(pipeline)
        let report = FeedReport(
            record: record, decodes: decoder.count, peakByteCount: ProcessMemory.peakByteCount)
        let sheet = side == .calotype ? try await contactSheet(pipeline) : nil
        return FeedResult(report: report, film: film, contactSheet: sheet)
    }

    @MainActor
    private func scroll(_ pipeline: ImagePipeline) async throws -> (FeedRecord, [FilmFrame]) {
        let script = FeedScript(FeedLayout(rowCount: rowCount), passFrameCount: passFrameCount)
        let prefetch = side.prefetch(in: pipeline, rowCount: rowCount, port: port)
        let run = FeedRun(script, prefetch: prefetch) { side.row(FeedServer.url(of: $0, port: port), in: pipeline) }
        var percent = 0
        try await run.run(.display) { part in
            guard Int(part * 100) > percent else { return }
            percent = Int(part * 100)
            Console.print("\(percent)")
        }
        return (run.record, run.film)
    }

    /// The pictures of all rows, made of the pixels that are there.
    private func contactSheet(_ pipeline: ImagePipeline) async throws -> Data {
        var prints: [Bitmap] = []
        for row in 0..<rowCount {
            var request = side.request(for: FeedServer.url(of: row, port: port))
            request.processors = [.crop(toAspectRatio: 1), .roundedCorners(radius: 18)]
            prints.append(try await pipeline.image(for: request).bitmap)
        }
        let sheet = ContactSheet(columnCount: 6, side: 264).bitmap(of: prints)
        return try ImageEncoder().encoded(DecodedImage(bitmap: sheet), as: .png)
    }
}

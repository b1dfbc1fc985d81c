import Calotype
import Foundation

extension Command {
    /// `calo load`.
    static let load = Command(
        name: "load", summary: "load images from URLs, files and folders, and write them in another size",
        help: LoadOptions.help
    ) { arguments in
        let options = try LoadOptions(arguments)
        let start = ContinuousClock.now
        let ((totals, faults), wasInterrupted) = try await Interruption.cancelling { try await load(options) }
        if !options.printsJSON { Console.print("\n" + totals.line(duration: .now - start)) }
        if !totals.failures.isEmpty {
            let lines = totals.failures.map { "\n  \($0.label): \($0.message.printable)" }
            Console.complain("\(totals.failedCount) of \(totals.count) failed:\(lines.joined())")
        }
        for fault in faults { Console.complain("\(fault)") }
        if wasInterrupted {
            Console.complain("interrupted: \(totals.loadedCount) of \(totals.count) were loaded.")
            return Interruption.exitCode
        }
        return totals.failedCount == 0 && faults.isEmpty ? .success : .failure
    }

    /// - Returns: The sums, and which of the page and the trace couldn't be written.
    private static func load(_ options: LoadOptions) async throws -> (LoadTotals, [FileError]) {
        for path in [options.reportPath, options.tracePath] {
            if let path { try spareImage(at: path) }
        }
        if let folder = options.outputFolder { try LocalFile.createOutputFolder(folder) }
        let items = [LoadItem].expanding(options.operands)
        let bar = ProgressBar.onTerminal(total: items.count, showsPace: true)
        let store = options.storeFolder.map { folder in
            SQLiteStore(directory: URL(filePath: folder), onEvent: complain)
        }
        var configuration = ImagePipeline.Configuration(store: store ?? MemoryStore())
        if store != nil { configuration.onEvent = complain }
        let recorder =
            options.reportPath == nil && options.tracePath == nil
            ? nil : PipelineRecorder(countLimit: max(5_000, items.count), byteCountLimit: 64 << 20)
        configuration.recorder = recorder
        let run = LoadRun(pipeline: ImagePipeline(configuration), options: options, items: items, bar: bar)
        let table = LoadTable(usesColor: Console.allowsColor(1), showsPreviews: options.makesPreviews)
        var totals = LoadTotals()
        if !options.printsJSON { Console.print(table.header) }
        await run.run { item, outcome in
            totals.add(item, outcome)
            let line = options.printsJSON ? LoadRecord(item, outcome).jsonLine : table.row(item, outcome)
            if let bar { bar.around { Console.print(line) } } else { Console.print(line) }
            // What isn't loaded yet is left: nobody hears of it.
            if Console.hasLostItsReader { withUnsafeCurrentTask { $0?.cancel() } }
        }
        bar?.close()
        await store?.close()
        return (totals, recorder.map { write($0, options) } ?? [])
    }

    /// Refuses to write a page over an image: of `--report *.png` the shell makes the name of the first one.
    private static func spareImage(at path: String) throws(UsageError) {
        guard ImageFolder.beginsAsImage(path) else { return }
        throw UsageError("\(UsageError.quoted(path)) is an image, and would be written over. Name another file.")
    }

    private static func write(_ recorder: PipelineRecorder, _ options: LoadOptions) -> [FileError] {
        var faults: [FileError] = []
        func write(_ data: () -> Data, to path: String?) {
            guard let path else { return }
            do throws(FileError) { try LocalFile.write(data(), to: path) } catch { faults.append(error) }
        }
        write({ recorder.page(title: "calo load", showsURLs: options.showsURLs) }, to: options.reportPath)
        write({ recorder.trace(showsURLs: options.showsURLs) }, to: options.tracePath)
        return faults
    }

    /// A fault of the store costs nothing but what it would have kept.
    private static func complain(_ event: ImageEvent) {
        if case .cacheFault(let operation, let error) = event { Console.complain("store, \(operation): \(error)") }
    }
}

extension LoadTotals {
    fileprivate var count: Int { loadedCount + failedCount + cancelledCount }
}

import Calotype
import Foundation

/// What became of a source.
enum LoadOutcome: Sendable {
    /// - Parameter output: The file written, if any was to be.
    case loaded(LoadReport, output: String?)
    case failed(message: String, stage: ImageError.Stage?)
    case cancelled
}

/// Loads items through one pipeline, a few at a time, and writes what came.
struct LoadRun: Sendable {
    let pipeline: ImagePipeline
    let options: LoadOptions
    let items: [LoadItem]
    let bar: ProgressBar?

    /// Loads everything.
    ///
    /// - Parameter report: Called for one item after the other in their order, each as soon as it and those before it
    ///   are done. After a cancellation the rest are reported as cancelled.
    func run(_ report: (LoadItem, LoadOutcome) -> Void) async {
        let paths = outputPaths()
        await withTaskGroup(of: (Int, LoadOutcome).self) { group in
            var started = 0
            var done: [Int: LoadOutcome] = [:]
            var reported = 0
            func startNext() {
                guard started < items.count else { return }
                let index = started
                started += 1
                group.addTask { (index, await load(items[index], to: paths?[index])) }
            }
            for _ in 0..<options.jobCount { startNext() }
            while let (index, outcome) = await group.next() {
                done[index] = outcome
                startNext()
                while let outcome = done.removeValue(forKey: reported) {
                    report(items[reported], outcome)
                    reported += 1
                }
            }
        }
    }

    private func outputPaths() -> [String]? {
        guard let folder = options.outputFolder else { return nil }
        var names = OutputNames(
            folder: folder, pathExtension: options.output.format == .png ? "png" : "jpg", items: items)
        return items.map { names.path(for: $0) }
    }

    private func load(_ item: LoadItem, to path: String?) async -> LoadOutcome {
        let outcome = await outcome(of: item, to: path)
        var byteCount: Int64 = 0
        if case .loaded(let report, _) = outcome { byteCount = report.bodyByteCount }
        bar?.finish(item.position, byteCount: byteCount)
        return outcome
    }

    private func outcome(of item: LoadItem, to path: String?) async -> LoadOutcome {
        if Task.isCancelled { return .cancelled }
        guard let request = item.request(options) else {
            guard case .unusable(let reason) = item.source else { return .cancelled }
            return .failed(message: reason, stage: nil)
        }
        do {
            let result = try await result(of: request, item)
            if let path {
                try LocalFile.write(ImageEncoder().encoded(result.image, as: options.output), to: path)
            }
            return .loaded(result.report, output: path)
        } catch is CancellationError {
            return .cancelled
        } catch let error as ImageError {
            // A closure of ours reads files whose names aren't UTF-8: what it throws is safe to print.
            if let fileError = error.underlyingError as? FileError {
                return .failed(
                    message: "Couldn't read an image: \(fileError.reason).", stage: error.stage)
            }
            return .failed(message: error.description, stage: error.stage)
        } catch let error as FileError {
            return .failed(message: "The image was loaded, but calo \(error)", stage: nil)
        } catch {
            return .failed(message: "\(error)", stage: nil)
        }
    }

    private func result(of request: ImageRequest, _ item: LoadItem) async throws -> ImageResult {
        var request = request
        request.progressivePreviews = options.makesPreviews
        let load = pipeline.load(request)
        // To the end, where there is a store: what is served stale is validated meanwhile, and that is to be stored as well.
        if bar != nil || options.makesPreviews || options.storeFolder != nil {
            for await case .progress(let progress) in load.updates {
                if let fraction = progress.fraction { bar?.advance(item.position, to: fraction) }
            }
        }
        return try await load.result
    }
}

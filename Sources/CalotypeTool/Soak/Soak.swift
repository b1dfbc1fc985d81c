import Calotype
import CalotypeTesting
import Foundation

/// A long use of one pipeline, and what must be true of it afterwards.
struct Soak: Sendable {
    /// What it came to.
    struct Report: Sendable {
        var counts: SoakLedger.Counts
        var originCount: Int
        /// The most memory of each half, in bytes; zeros where the system can't begin anew.
        var peaks: [Int]
        var descriptors: (before: Int, after: Int)
        /// What isn't as it must be, a line each.
        var faults: [String]
    }

    /// How long what ends by itself is waited for.
    private static let patience = Duration.seconds(60)

    let duration: Duration
    let seed: UInt64
    /// By how many percent the second half's peak may exceed the first one's.
    let growth: Int

    /// - Parameter onTick: Is given the time that has passed, every ten seconds.
    /// - Throws: `CancellationError`, or what keeps it from beginning.
    @MainActor
    func run(onTick: @MainActor (Duration, SoakLedger.Counts) -> Void = { _, _ in }) async throws -> Report {
        let ledger = SoakLedger()
        let folder = FileManager.default.temporaryDirectory.appending(path: "calo-soak-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        // What Foundation, Dispatch and libcurl make once isn't counted.
        try await use(folder.appending(path: "warm-up"), SoakLedger(), for: [.milliseconds(300)])
        let before = try await Self.settledDescriptorCount()

        var report = Report(
            counts: .init(), originCount: 0, peaks: [], descriptors: (before, 0), faults: [])
        let store = folder.appending(path: "store")
        let ticks = max(1, Int(duration / .seconds(10)) / 2 * 2)
        let parts = ticks == 1 ? [duration / 2, duration / 2] : Array(repeating: duration / ticks, count: ticks)
        var passed = Duration.zero
        let outcome = try await use(store, ledger, for: parts) { index in
            passed += parts[index]
            if index + 1 == parts.count / 2 || index + 1 == parts.count {
                report.peaks.append(ProcessMemory.peakByteCount)
                _ = ProcessMemory.resetPeak()
            }
            onTick(passed, ledger.counts)
        }
        report.originCount = outcome.originCount
        report.faults = outcome.faults + ledger.faults(originCount: outcome.originCount)
        report.counts = ledger.counts

        report.descriptors.after = try await Self.settledDescriptorCount(expected: before)
        if report.descriptors.after > before {
            report.faults.append("descriptors before and after: \(before) and \(report.descriptors.after)")
        }
        if report.peaks[1] * 100 > report.peaks[0] * (100 + growth) {
            report.faults.append(
                "the most memory of each half, in bytes: \(report.peaks[0].grouped) and \(report.peaks[1].grouped)")
        }
        // There is no such folder as long as nothing has been stored.
        let staged =
            (try? FileManager.default.contentsOfDirectory(atPath: store.appending(path: "staging").path())) ?? []
        if !staged.isEmpty { report.faults.append("files that were never finished: \(staged.count)") }
        return report
    }

    /// Uses a pipeline of its own for a while.
    ///
    /// - Returns: The origin's count of requests, and what was left that should have gone.
    @MainActor @discardableResult
    private func use(
        _ folder: URL, _ ledger: SoakLedger, for parts: [Duration], after: (Int) -> Void = { _ in }
    ) async throws -> (originCount: Int, faults: [String]) {
        let origin = try SoakOrigin(seed: seed, ledger: ledger)
        let network = ManualNetworkMonitor()
        let idleObserverCount = network.observerCount
        let transport = Self.transport()
        weak var gone: ImagePipeline?
        var faults: [String] = []
        do {
            let pipeline = pipeline(folder, ledger, network, transport)
            gone = pipeline
            let user = SoakUser(origin, pipeline, network, ledger, seed: seed)
            for (index, part) in parts.enumerated() {
                try await user.use(until: .now + part)
                after(index)
            }
            await user.leave()
            await pipeline.waitUntilIdle()
            if pipeline.jobCounts != (0, 0, 0) { faults.append("jobs that are left: \(pipeline.jobCounts)") }
        }
        #if os(Linux)
        await transport.shutDown()
        #endif
        // Tasks that hold the pipeline end a moment after what they were for.
        let deadline = ContinuousClock.now + Self.patience
        while gone != nil || network.observerCount > idleObserverCount, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        if gone != nil { faults.append("the pipeline is still held: by a task, a load or a waiter") }
        if network.observerCount > idleObserverCount { faults.append("the network is still observed") }
        origin.server.stop()
        return (origin.server.requestCount, faults)
    }

    private func pipeline(
        _ folder: URL, _ ledger: SoakLedger, _ network: ManualNetworkMonitor, _ transport: some HTTPTransport
    ) -> ImagePipeline {
        // Both caches are too small for what is asked for, so that they evict all the time.
        var configuration = ImagePipeline.Configuration(
            transport: NumberedTransport(transport, ledger: ledger), memory: MemoryCache(costLimit: 400_000),
            store: SQLiteStore(directory: folder, options: .init(byteLimit: 120_000)))
        configuration.retry = RetryPolicy(attemptLimit: 2, baseDelay: .milliseconds(50))
        configuration.timeouts = HTTPTimeouts(connect: .seconds(2), idle: .seconds(2))
        configuration.network = network
        configuration.onEvent = { event in
            switch event {
            case .cacheFault(let operation, let error):
                ledger.count(\.cacheFaults)
                ledger.surprise("\(operation): \(error)")
            case .removedDamaged: ledger.surprise("stored bytes were damaged")
            default: break
            }
        }
        return ImagePipeline(configuration)
    }

    #if os(Linux)
    private static func transport() -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.usesEnvironmentProxies = false
        return CurlTransport(configuration: configuration)
    }
    #else
    private static func transport() -> URLSessionTransport { URLSessionTransport() }
    #endif

    /// The descriptors that this process has open, once that hasn't changed for half a second: connections and SQLite's files
    /// are closed by threads that nobody waits for.
    ///
    /// - Parameter expected: How many there should be at most. For more, those threads are given time: they may have to wait for
    ///   a processor.
    private static func settledDescriptorCount(expected: Int = .max) async throws -> Int {
        let deadline = ContinuousClock.now + patience
        let folder = ["/proc/self/fd", "/dev/fd"].first { FileManager.default.fileExists(atPath: $0) } ?? "/dev/fd"
        var (count, unchanged) = (0, 0)
        while unchanged < 50 || (count > expected && ContinuousClock.now < deadline) {
            let now = try FileManager.default.contentsOfDirectory(atPath: folder).count
            unchanged = now == count ? unchanged + 1 : 0
            count = now
            try await Task.sleep(for: .milliseconds(10))
        }
        return count
    }
}

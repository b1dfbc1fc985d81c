import Calotype
import CalotypeTesting
import Foundation

/// Somebody who scrolls a feed without end, opens pictures, signs out and in again, and loses the network.
///
/// What happens when is drawn from the seed; what comes of it depends on the machine's time.
@MainActor
final class SoakUser {
    /// A row in view, or the picture that is open.
    private struct Row {
        let number: Int
        let request: ImageRequest
        let model = RemoteImageModel()
        let task: Task<Void, Never>

        @MainActor
        init(_ number: Int, _ request: ImageRequest, _ pipeline: ImagePipeline) {
            self.number = number
            self.request = request
            task = Task { [model] in await model.show(request, in: pipeline) }
        }
    }

    private static let screen = 8
    private static let frame = Duration.milliseconds(16)

    private let origin: SoakOrigin
    private let pipeline: ImagePipeline
    private let network: ManualNetworkMonitor
    private let ledger: SoakLedger
    private let prefetcher: ImagePrefetcher
    private var random: SeededGenerator

    private var position = 0
    private var velocity = 0
    private var account = 0
    private var rows: [Int: Row] = [:]
    private var prefetched: Set<Int> = []
    private var opened: (row: Row, frames: Int)?
    private var framesAway = 0
    /// What has been let go and hasn't ended yet, and loads that are under way.
    private var ending: [Int: Task<Void, Never>] = [:]
    private var nextTask = 0

    init(
        _ origin: SoakOrigin, _ pipeline: ImagePipeline, _ network: ManualNetworkMonitor, _ ledger: SoakLedger,
        seed: UInt64
    ) {
        self.origin = origin
        self.pipeline = pipeline
        self.network = network
        self.ledger = ledger
        random = SeededGenerator(seed: seed)
        prefetcher = ImagePrefetcher(pipeline: pipeline) { _ in ledger.count(\.outcomes) }
    }

    /// Uses the app until then.
    ///
    /// - Throws: `CancellationError`.
    func use(until end: ContinuousClock.Instant) async throws {
        while ContinuousClock.now < end {
            try await Task.sleep(for: Self.frame)
            ledger.count(\.frames)
            await act()
            scroll()
            look()
        }
    }

    /// Closes everything, and returns once all has ended.
    func leave() async {
        network.status.isAvailable = true
        origin.setAway(false)
        close()
        for number in rows.keys { letGo(number) }
        prefetcher.stopAll()
        await prefetcher.finished()
        while let (id, task) = ending.first {
            await task.value
            ending[id] = nil
        }
    }

    // MARK: One frame

    private func act() async {
        switch Int.random(in: 0..<2_000, using: &random) {
        case 0..<60: velocity = Int.random(in: -5...5, using: &random)
        case 60..<90: open()
        case 90..<400: load()
        case 400..<405: await signOut()
        case 405..<409: loseNetwork()
        case 409..<419: await pipeline.invalidate(ResourceID("\(position)"))
        case 419..<421: pipeline.configuration.memory.respondToMemoryPressure(.warning)
        default: break
        }
        if let (row, frames) = opened {
            opened = (row, frames - 1)
            if frames == 0 { close() }
        }
        if framesAway > 0 {
            framesAway -= 1
            if framesAway == 0 {
                origin.setAway(false)
                network.status.isAvailable = true
            }
        }
    }

    private func scroll() {
        if opened == nil { position = max(0, min(SoakOrigin.pictureCount - Self.screen, position + velocity)) }
        let visible = position..<position + Self.screen
        for number in rows.keys where !visible.contains(number) { letGo(number) }
        for number in visible where rows[number] == nil { rows[number] = Row(number, request(number), pipeline) }

        let ahead = visible.upperBound..<min(SoakOrigin.pictureCount, visible.upperBound + Self.screen)
        prefetcher.stop(prefetched.subtracting(ahead).map { request($0) })
        let new = ahead.filter { !prefetched.contains($0) }
        ledger.count(\.prefetches, new.count)
        prefetcher.start(new.map { request($0) })
        prefetched = Set(ahead)
    }

    /// Evaluates what is in view, as bodies would.
    private func look() {
        for row in rows.values { check(row) }
        if let row = opened?.row { check(row) }
    }

    private func check(_ row: Row) {
        guard case .success(let image, _) = row.model.phase(for: row.request, in: pipeline) else { return }
        if image.bitmap.pixel(image.pixelSize.width / 2, 5) != SoakOrigin.color(row.number) {
            ledger.count(\.wrongPictures)
        }
    }

    // MARK: What the user does

    private func request(_ number: Int) -> ImageRequest {
        ImageRequest(
            url: origin.url(number), id: ResourceID("\(number)"), size: .pixels(40, 30),
            partition: SoakOrigin.isOfAccount(number) ? Partition("account \(account)") : nil)
    }

    private func letGo(_ number: Int) {
        guard let row = rows.removeValue(forKey: number) else { return }
        row.task.cancel()
        watch(row.task)
    }

    /// Keeps an eye on a task until it has ended.
    private func watch(_ task: Task<Void, Never>) {
        nextTask += 1
        let id = nextTask
        ending[id] = Task { [weak self] in
            await task.value
            self?.ending[id] = nil
        }
    }

    private func open() {
        guard opened == nil, let row = rows.values.min(by: { $0.number < $1.number }) else { return }
        var full = ImageRequest(url: origin.url(row.number, isFull: true), id: row.request.id, size: .pixels(200, 150))
        full.partition = row.request.partition
        ledger.count(\.openings)
        opened = (Row(row.number, full, pipeline), Int.random(in: 5...120, using: &random))
    }

    private func close() {
        guard let row = opened?.row else { return }
        row.task.cancel()
        watch(row.task)
        opened = nil
    }

    /// A load by itself, as a widget has them; one in four is given up.
    private func load() {
        let number = Int.random(in: 0..<SoakOrigin.pictureCount, using: &random)
        var request = request(number)
        request.cachePolicy = [.http, .http, .reload, .revalidate, .noStore].randomElement(using: &random) ?? .http
        let load = pipeline.load(request)
        ledger.count(\.loads)
        if Int.random(in: 0..<4, using: &random) == 0 {
            Task {
                await Task.yield()
                load.cancel()
            }
        }
        watch(
            Task { [ledger] in
                switch await load.outcome {
                case .success: ledger.count(\.images)
                case .failure(is CancellationError): ledger.count(\.cancellations)
                case .failure(let error):
                    ledger.count(\.errors)
                    // Its server's faults are the only ones there are.
                    let stage = (error as? ImageError)?.stage
                    if stage != .network && stage != .validation { ledger.surprise("\(error)") }
                }
            })
    }

    private func signOut() async {
        let former = Partition("account \(account)")
        let requests = rows.values.map(\.request).filter { $0.partition == former }
        ledger.count(\.signOuts)
        // What the next account shows is another row's business.
        if opened?.row.request.partition == former { close() }
        await pipeline.removePartition(former)
        for request in requests {
            let shown = rows.values.filter { $0.request.id == request.id }.contains {
                $0.model.phase(for: request, in: pipeline).image != nil
            }
            if shown || pipeline.contains(request) { ledger.count(\.wrongPictures) }
        }
        prefetcher.stop(prefetched.filter(SoakOrigin.isOfAccount).map(self.request))
        prefetched = prefetched.filter { !SoakOrigin.isOfAccount($0) }
        for number in rows.keys where SoakOrigin.isOfAccount(number) { letGo(number) }
        account += 1
    }

    private func loseNetwork() {
        guard framesAway == 0 else { return }
        ledger.count(\.outages)
        framesAway = Int.random(in: 30...200, using: &random)
        network.status.isAvailable = false
        origin.setAway(true)
    }
}

import Calotype
import CalotypeTesting
import Foundation
import Synchronization

/// What becomes of the pictures of one screen: over launches, when one of them changes, without a network, and when their
/// owner signs out. One server and one store on disk; each launch has a pipeline, a memory and connections of its own.
///
/// Every act checks what it shows. None waits for time: each goes on as soon as what it waits for has happened.
///
/// - Isolation: main actor, as views are.
/// - Owns: the server, and the pipeline and the screen of the present launch, until ``end()``.
@MainActor
final class Story {
    /// The app as it has been started last.
    struct Launch {
        let pipeline: ImagePipeline
        let store: SQLiteStore
    }

    /// A screen that was shown, and what that took.
    struct Showing {
        let screen: StoryScreen
        let firstFrame: [RemoteImagePhase]
        let start: ContinuousClock.Instant
        /// From there until every row was final.
        let duration: Duration
        /// What the server answered.
        let exchanges: [StoryOrigin.Exchange]

        /// Rows that showed something in the first frame.
        var shownAtOnceCount: Int { firstFrame.count { $0.image != nil } }
    }

    let pictures: StoryPictures
    let origin: StoryOrigin
    let network = ManualNetworkMonitor()
    /// Where the store is.
    let folder: URL
    /// What every load of the story did, over all launches.
    let recorder = PipelineRecorder()
    private let faults = FaultCount()
    private var launched: Launch?
    /// Decodes what a row should show, from the file alone.
    private let darkroom = ImagePipeline(.init(store: nil))
    /// What is on the screen.
    var screen: StoryScreen?

    /// - Parameters:
    ///   - folder: Where the store is to be. Made when it is needed; whoever gives it removes it.
    ///   - latency: From a request to the server's response.
    init(_ pictures: StoryPictures, folder: URL, latency: Duration) throws {
        self.pictures = pictures
        self.folder = folder
        origin = try StoryOrigin(latency: latency)
        for row in 0..<StoryPictures.rowCount { serve(row, pictures.row(row)) }
        for row in StoryPictures.unknownRows {
            origin.serve(
                .shared(StoryPictures.resource(pictures.unknown(row))), at: StoryPictures.path(unknown: row))
        }
        for row in 0..<StoryPictures.accountRowCount {
            let files = StoryPictures.Account.allCases.map {
                ($0.authorization, StoryPictures.resource(pictures.account($0, row)))
            }
            origin.serve(
                .personal(Dictionary(uniqueKeysWithValues: files)), at: StoryPictures.path(accountRow: row))
        }
    }

    /// Serves a row's picture from now on.
    func serve(_ row: Int, _ data: Data, version: Int = 1) {
        let isAskedAbout = StoryPictures.askedRows.contains(row)
        origin.serve(
            .shared(StoryPictures.resource(data, isAskedAbout: isAskedAbout, version: version)),
            at: StoryPictures.path(row: row))
    }

    // MARK: Acts

    /// Plays an act. Each goes on from where the one before has left: play them in order.
    ///
    /// - Throws: ``StoryError``, or what keeps the story from going on; `CancellationError`.
    func play(_ name: Act.Name) async throws -> Act {
        switch name {
        case .coldStart: try await coldStart()
        case .warmStart: try await warmStart()
        case .change: try await change()
        case .offline: try await offline()
        case .reconnection: try await reconnection()
        case .signOut: try await signOut()
        }
    }

    /// Closes what is open.
    func end() async {
        await screen?.disappear()
        screen = nil
        await launched?.store.close()
        launched = nil
        origin.takeDown()
    }

    // MARK: What acts are made of

    /// The present launch.
    var launch: Launch {
        get throws {
            guard let launched else { throw StoryError("The story begins with a launch.") }
            return launched
        }
    }

    /// Ends the app, and starts it anew: what was in memory is gone, and what is on disk is there.
    func relaunch() async -> Launch {
        await screen?.disappear()
        screen = nil
        // As the end of a process: no request can be answered from here any more.
        await launched?.store.close()
        let events: @Sendable (ImageEvent) -> Void = { [faults] event in
            if case .cacheFault = event { faults.increment() }
        }
        let store = SQLiteStore(directory: folder, onEvent: events)
        #if os(Linux)
        let transport: any HTTPTransport = CurlTransport()
        #else
        let transport: any HTTPTransport = URLSessionTransport()
        #endif
        var configuration = ImagePipeline.Configuration(
            transport: transport, memory: MemoryCache(costLimit: 64 << 20, reactsToMemoryPressure: false), store: store)
        configuration.network = network
        configuration.onEvent = events
        configuration.recorder = recorder
        let launch = Launch(pipeline: ImagePipeline(configuration), store: store)
        launched = launch
        await launch.pipeline.prepare()
        return launch
    }

    /// Shows a screen in place of the former one, and returns once all of its rows are final and nothing is under way.
    func show(_ requests: [ImageRequest], in launch: Launch) async throws -> Showing {
        await screen?.disappear()
        let screen = StoryScreen(requests, in: launch.pipeline)
        self.screen = screen
        let before = origin.exchanges.count
        let start = ContinuousClock.now
        let firstFrame = screen.appear()
        try await screen.settle()
        let duration = ContinuousClock.now - start
        await launch.pipeline.waitUntilIdle()
        return Showing(
            screen: screen, firstFrame: firstFrame, start: start, duration: duration,
            exchanges: Array(origin.exchanges.dropFirst(before)))
    }

    /// The size that rows are shown at.
    static let size = ImageRequest.Size.points(88, 88, scale: 3)

    func request(row: Int) -> ImageRequest {
        ImageRequest(url: origin.url(StoryPictures.path(row: row)), size: Self.size)
    }

    /// The claims of an act, and one more if a cache has failed meanwhile: nothing else would tell of that.
    func checked(_ claims: [Claim]) -> [Claim] {
        let count = faults.takeAll()
        return count == 0 ? claims : claims + [Claim("no cache fails", count, is: 0)]
    }

    /// Whether a row shows the picture that a file holds, pixel for pixel.
    func row(_ row: StoryScreen.Row, shows file: Data) async throws -> Bool {
        guard let picture = row.picture else { return false }
        let print = try await darkroom.image(for: ImageRequest(data: file, size: Self.size))
        return PixelComparison(picture.bitmap, print.bitmap).isWithin(.exact)
    }

    /// How many rows show the picture that they should, from the layer that it should come from.
    func count(
        of rows: [StoryScreen.Row], showing files: [Data], from layer: (Int) -> LoadReport.Layer
    ) async throws -> Int {
        var count = 0
        for (position, (row, file)) in zip(rows, files).enumerated() where row.layer == layer(position) {
            if try await self.row(row, shows: file) { count += 1 }
        }
        return count
    }

    /// The screen at a moment.
    static func scene(_ caption: String, _ phases: [RemoteImagePhase]) -> Act.Scene {
        let contents = phases.enumerated().map { ($0, FeedContent($1)) }
        return Act.Scene(
            caption: caption,
            frame: FilmFrame(
                number: 0, layout: FeedLayout(rowCount: phases.count), offset: 0,
                contents: Dictionary(uniqueKeysWithValues: contents), rowsShown: [], pictureSide: 80))
    }
}

/// Faults of caches that nobody has spoken of yet. Any thread may add to it.
private final class FaultCount: Sendable {
    private let count = Mutex(0)

    func increment() {
        count.withLock { $0 += 1 }
    }

    func takeAll() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}

extension Sequence<StoryOrigin.Exchange> {
    /// Those for some paths.
    func to(_ paths: some Sequence<String>) -> [StoryOrigin.Exchange] {
        let paths = Set(paths)
        return filter { paths.contains($0.path) }
    }

    /// "8 requests for 8 pictures"
    var requests: String {
        let exchanges = Array(self)
        guard !exchanges.isEmpty else { return "0 requests" }
        return "\(exchanges.count) requests for \(Set(exchanges.map(\.path)).count) pictures"
    }

    /// "3 requests, 3 x 304"
    var confirmations: String {
        let exchanges = Array(self)
        return "\(exchanges.count) requests, \(exchanges.count { $0.status == 304 }) x 304"
    }
}

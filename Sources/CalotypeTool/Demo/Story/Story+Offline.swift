import Calotype
import CalotypeTesting
import Foundation

/// The acts without a server, and with one again.
extension Story {
    private static let known = (0..<StoryPictures.rowCount).filter { !StoryPictures.unknownRows.contains($0) }
    private static let unknown = StoryPictures.unknownRows.sorted()
    private static let unknownPaths = unknown.map(StoryPictures.path(unknown:))
    private static let askedPaths = known.filter(StoryPictures.askedRows.contains).map(StoryPictures.path(row:))
    private static let freshPaths = known.filter { !StoryPictures.askedRows.contains($0) }
        .map(StoryPictures.path(row:))

    /// A launch while the server is down: what is stored, and two pictures that aren't.
    func offline() async throws -> Act {
        origin.takeDown()
        network.status.isAvailable = false
        let launch = await relaunch()
        let requests =
            Self.known.map(request(row:))
            + Self.unknownPaths.map { ImageRequest(url: origin.url($0), size: Self.size) }
        let showing = try await show(requests, in: launch)
        let (known, unknown) = (Self.known.count, Self.unknown.count)
        let files = Self.known.map { $0 == StoryPictures.changedRow ? pictures.changed : pictures.row($0) }
        let right = try await count(of: showing.screen.rows, showing: files) { _ in .storage }
        let errors = showing.screen.rows.suffix(unknown).compactMap(\.phase.error)
        let reason = errors.first.map { " Why, in the row: \"\($0)\"" } ?? ""
        return Act(
            name: .offline,
            plot: """
                The server is down, and the app is launched. \(unknown) of the rows have never been loaded.\(reason)
                """,
            rowCount: requests.count, shownAtOnceCount: showing.shownAtOnceCount, traffic: .init(showing.exchanges),
            duration: showing.duration,
            claims: checked([
                Claim(
                    "every stored picture has its impression in the first frame", showing.shownAtOnceCount, ofAll: known
                ),
                Claim("every stored picture shows, the changed one as it is now", right, ofAll: known),
                Claim(
                    "what isn't stored fails: the server refuses the connection",
                    errors.count { $0.reason == .cannotConnect }, ofAll: unknown),
            ]),
            scenes: [
                Self.scene("First frame", showing.firstFrame),
                Self.scene("No server", showing.screen.rows.map(\.phase)),
            ])
    }

    /// The server is back, and nobody does anything.
    func reconnection() async throws -> Act {
        let launch = try launch
        guard let screen else { throw StoryError("The screen of the act before is gone.") }
        let rows = screen.rows.suffix(Self.unknown.count)
        let before = (exchanges: origin.exchanges.count, shown: screen.rows.count { $0.phase.image != nil })
        let server = try origin.bringUp()
        let start = ContinuousClock.now
        network.status.isAvailable = true
        try await screen.wait(for: "the failed rows to load by themselves") { $0.allSatisfy { $0.picture != nil } }
        let duration = ContinuousClock.now - start
        try await server.waitForRequests(count: Self.unknownPaths.count + Self.askedPaths.count)
        await launch.pipeline.waitUntilIdle()

        let exchanges = origin.exchanges.dropFirst(before.exchanges)
        let right = try await count(of: Array(rows), showing: Self.unknown.map(pictures.unknown)) { _ in .network }
        let (unknown, asked) = (Self.unknownPaths.count, Self.askedPaths.count)
        return Act(
            name: .reconnection, plot: "The server is back. Nobody touches the screen, and nothing is launched anew.",
            rowCount: screen.rows.count, shownAtOnceCount: before.shown, traffic: .init(exchanges), duration: duration,
            claims: checked([
                Claim("every row that had failed loads by itself", right, ofAll: unknown),
                Claim(
                    "each of them asks once", exchanges.to(Self.unknownPaths).requests,
                    is: "\(unknown) requests for \(unknown) pictures"),
                Claim(
                    "old pictures that stood in are confirmed", exchanges.to(Self.askedPaths).confirmations,
                    is: "\(asked) requests, \(asked) x 304"),
                Claim("what is fresh isn't asked about", exchanges.to(Self.freshPaths).requests, is: "0 requests"),
            ]),
            scenes: [Self.scene("Online again", screen.rows.map(\.phase))])
    }
}

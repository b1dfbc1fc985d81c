import Calotype
import Foundation

/// The acts with a server: nothing is there; everything is there; one picture is another.
extension Story {
    private static let rows = Array(0..<StoryPictures.rowCount)
    private static let freshPaths = rows.filter { !StoryPictures.askedRows.contains($0) }.map(StoryPictures.path(row:))
    private static let askedPaths = StoryPictures.askedRows.map(StoryPictures.path(row:))

    private var requests: [ImageRequest] { Self.rows.map(request(row:)) }
    private var files: [Data] { Self.rows.map(pictures.row) }

    /// The first launch ever.
    func coldStart() async throws -> Act {
        let launch = await relaunch()
        let showing = try await show(requests, in: launch)
        let count = Self.rows.count
        let right = try await self.count(of: showing.screen.rows, showing: files) { _ in .network }
        let stored = try await launch.store.usage().responseCount
        return Act(
            name: .coldStart, plot: "The first launch: the store is empty.",
            rowCount: count, shownAtOnceCount: showing.shownAtOnceCount, traffic: .init(showing.exchanges),
            duration: showing.duration,
            claims: checked([
                Claim("no row has anything to show in the first frame", showing.shownAtOnceCount, is: 0),
                Claim(
                    "every picture is asked for once", showing.exchanges.requests,
                    is: "\(count) requests for \(count) pictures"),
                Claim("every row shows its own picture, from the server", right, ofAll: count),
                Claim("every response is stored", stored, ofAll: count),
            ]),
            scenes: [
                Self.scene("First frame", showing.firstFrame),
                Self.scene("All there", showing.screen.rows.map(\.phase)),
            ])
    }

    /// A launch with what the one before has stored.
    func warmStart() async throws -> Act {
        let launch = await relaunch()
        let impressions = requests.map { launch.pipeline.impression(for: $0)?.image }
        let showing = try await show(requests, in: launch)
        let count = Self.rows.count
        let blurred = zip(showing.firstFrame, impressions).count { $0.image != nil && $0.image === $1 }
        let right = try await self.count(of: showing.screen.rows, showing: files) {
            StoryPictures.askedRows.contains($0) ? .revalidation : .storage
        }
        let askedCount = Self.askedPaths.count
        return Act(
            name: .warmStart,
            plot: """
                A new launch on the same store. \(askedCount) of the \(count) pictures have max-age=0: the server is asked \
                whether they still hold.
                """,
            rowCount: count, shownAtOnceCount: showing.shownAtOnceCount, traffic: .init(showing.exchanges),
            duration: showing.duration,
            claims: checked([
                Claim("every row shows an impression in the first frame", blurred, ofAll: count),
                Claim("every row shows its own picture, from the disk", right, ofAll: count),
                Claim(
                    "what is fresh isn't asked about", showing.exchanges.to(Self.freshPaths).requests, is: "0 requests"),
                Claim(
                    "what the server wants to be asked about is confirmed",
                    showing.exchanges.to(Self.askedPaths).confirmations,
                    is: "\(askedCount) requests, \(askedCount) x 304"),
                Claim(
                    "no picture is sent again", "\(showing.exchanges.map(\.byteCount).reduce(0, +)) bytes",
                    is: "0 bytes"),
            ]),
            scenes: [
                Self.scene("First frame", showing.firstFrame),
                Self.scene("All there", showing.screen.rows.map(\.phase)),
            ])
    }

    /// The server has another picture under one of the URLs, and the screen is shown again.
    func change() async throws -> Act {
        let launch = try launch
        serve(StoryPictures.changedRow, pictures.changed, version: 2)
        let showing = try await show(requests, in: launch)
        let old = showing.firstFrame.map(\.image)
        let changed = showing.screen.rows[StoryPictures.changedRow]
        // It is shown as it was, until the server's answer is there and decoded.
        try await showing.screen.wait(for: "the new picture") { _ in
            changed.phase.image !== old[StoryPictures.changedRow]
        }
        let duration = ContinuousClock.now - showing.start

        let count = Self.rows.count
        let others = Self.rows.filter { $0 != StoryPictures.changedRow }
        let untouched = others.count { old[$0] != nil && showing.screen.rows[$0].picture === old[$0] }
        let otherPaths = Self.askedPaths.filter { $0 != StoryPictures.path(row: StoryPictures.changedRow) }
        let sent = showing.exchanges.filter { $0.status != 304 }
        let showsNew = try await row(changed, shows: pictures.changed)
        return Act(
            name: .change,
            plot: "The server has another picture under one of the URLs, with another ETag. The screen is shown again.",
            rowCount: count, shownAtOnceCount: showing.shownAtOnceCount, traffic: .init(showing.exchanges),
            duration: duration,
            claims: checked([
                Claim("every row shows a picture in the first frame", showing.shownAtOnceCount, ofAll: count),
                Claim("the row of the changed picture shows the new one", showsNew ? 1 : 0, ofAll: 1),
                Claim(
                    "it alone is sent", sent.map { "\($0.path) \($0.status)" }.joined(separator: ", "),
                    is: "\(StoryPictures.path(row: StoryPictures.changedRow)) 200"),
                Claim(
                    "the others with max-age=0 are confirmed", showing.exchanges.to(otherPaths).confirmations,
                    is: "\(otherPaths.count) requests, \(otherPaths.count) x 304"),
                Claim(
                    "what is fresh isn't asked about", showing.exchanges.to(Self.freshPaths).requests, is: "0 requests"),
                Claim("the other rows keep the very pixels that they had", untouched, ofAll: others.count),
            ]),
            scenes: [
                Self.scene("First frame", showing.firstFrame),
                Self.scene("After the answer", showing.screen.rows.map(\.phase)),
            ])
    }
}

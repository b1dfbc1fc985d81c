import Calotype
import CalotypeTesting
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The act of two accounts.
extension Story {
    /// Two accounts have the same URLs and pictures of their own. One signs out while one of its pictures is on its way.
    func signOut() async throws -> Act {
        let launch = try launch
        let count = StoryPictures.accountRowCount
        let before = (exchanges: origin.exchanges.count, stored: try await launch.store.usage().responseCount)

        let gate = LoopbackServer.Gate()
        // Whatever happens, the server isn't left with a response that it holds back.
        defer { gate.open() }
        origin.hold(
            StoryPictures.path(accountRow: count - 1), for: StoryPictures.Account.first.authorization, at: gate)
        let first = (0..<count).map { request(.first, $0) }
        let second = (0..<count).map { request(.second, $0) }
        let showing = try await show(first.dropLast() + second, in: launch)
        let late = StoryScreen(first.suffix(1), in: launch.pipeline)
        _ = late.appear()
        try await gate.waitUntilHeld()
        func rows() -> [StoryScreen.Row] {
            let rows = showing.screen.rows
            return rows.prefix(count - 1) + late.rows + rows.suffix(count)
        }
        let shown = rows().map(\.phase)
        let files = (0..<count).map { pictures.account(.first, $0) }
        let onDiskBefore = try StoreFiles(folder).count(of: files)

        let start = ContinuousClock.now
        await launch.pipeline.removePartition(StoryPictures.Account.first.partition)
        let duration = ContinuousClock.now - start
        let signedOut = rows().map(\.phase)
        gate.open()
        await launch.pipeline.waitUntilIdle()
        let left = rows().prefix(count).map(\.phase)
        let stored = try await launch.store.usage().responseCount - before.stored
        let exchanges = origin.exchanges.dropFirst(before.exchanges)
        await late.disappear()

        let next = await relaunch()
        let onDiskAfter = try StoreFiles(folder).count(of: files)
        var unknown = 0
        for var request in first where next.pipeline.impression(for: request) == nil {
            request.cachePolicy = .storedOnly
            if await next.pipeline.hasNothing(for: request) { unknown += 1 }
        }
        let again = try await show(second, in: next)
        let others = try await self.count(
            of: again.screen.rows, showing: (0..<count).map { pictures.account(.second, $0) }, from: { _ in .storage })
        return Act(
            name: .signOut,
            plot: """
                Two accounts have the same URLs, and pictures of their own. The first (the upper \(count) rows) signs out \
                while the last of its own is on its way.
                """,
            rowCount: shown.count, shownAtOnceCount: showing.shownAtOnceCount, traffic: .init(exchanges),
            duration: duration,
            claims: checked([
                Claim("its rows are blank", signedOut.prefix(count).count(where: \.isBlank), ofAll: count),
                Claim("and stay so when the download is let go", left.count(where: \.isBlank), ofAll: count),
                Claim(
                    "the other's rows keep the very pixels that they had",
                    zip(shown, signedOut).suffix(count).count { $0.image != nil && $0.image === $1.image }, ofAll: count
                ),
                Claim("of the two accounts, the other's responses are stored", stored, is: count),
                Claim(
                    "no file of the store holds a picture of its own", "\(onDiskBefore) before, \(onDiskAfter) after",
                    is: "\(count - 1) before, 0 after"),
                Claim("the next launch knows neither impression nor response of it", unknown, ofAll: count),
                Claim("and shows the other's, from the disk", others, ofAll: count),
                Claim("which aren't asked about", again.exchanges.requests, is: "0 requests"),
            ]),
            scenes: [Self.scene("Signed in", shown), Self.scene("One has signed out", signedOut)])
    }

    private func request(_ account: StoryPictures.Account, _ row: Int) -> ImageRequest {
        var request = URLRequest(url: origin.url(StoryPictures.path(accountRow: row)))
        request.setValue(account.authorization, forHTTPHeaderField: "Authorization")
        return ImageRequest(urlRequest: request, size: Self.size, partition: account.partition)
    }
}

extension RemoteImagePhase {
    /// Whether there is neither a picture, nor something in its place, nor a failure.
    fileprivate var isBlank: Bool { image == nil && error == nil }
}

extension ImagePipeline {
    /// Whether a request that may use the caches alone fails because there is nothing.
    fileprivate func hasNothing(for request: ImageRequest) async -> Bool {
        do {
            _ = try await image(for: request)
            return false
        } catch {
            return (error as? ImageError)?.reason == .notStored
        }
    }
}

/// The bytes of all files in a folder, looked at without the store.
struct StoreFiles {
    private let contents: [Data]

    init(_ folder: URL) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        contents = try names.map { folder.appending(path: $0) }
            .filter { !$0.hasDirectoryPath && FileManager.default.isRegularFile($0) }
            .map { try Data(contentsOf: $0) }
    }

    /// How many of these files are there, by some bytes from three places of each.
    func count(of files: [Data]) -> Int {
        files.count { file in
            [1, 2, 3].contains { quarter in
                let start = file.startIndex + file.count * quarter / 4
                let sample = file[start..<min(start + 40, file.endIndex)]
                return contents.contains { $0.range(of: sample) != nil }
            }
        }
    }
}

extension FileManager {
    fileprivate func isRegularFile(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isFolder) && !isFolder.boolValue
    }
}

import Calotype
import CalotypeTesting
import Foundation

/// Which picture is what in the story.
struct StoryPictures: Sendable {
    /// As many pictures as the story needs.
    static let count = 19

    private let files: [Data]

    /// - Parameter files: At least ``count`` JPEG files that differ.
    init(_ files: [Data]) {
        precondition(files.count >= Self.count, "The story has \(Self.count) pictures; got \(files.count).")
        self.files = files
    }

    /// A screen of them.
    static let rowCount = 8
    /// Those that the server wants to be asked about whenever they are shown; the others stay fresh for an hour.
    static let askedRows: Set<Int> = [1, 4, 7]
    /// The row whose picture changes: one of those.
    static let changedRow = 4
    /// Rows whose pictures nobody has loaded before the server goes down.
    static let unknownRows: Set<Int> = [6, 7]
    /// Rows of each account.
    static let accountRowCount = 4

    func row(_ row: Int) -> Data { files[row] }
    func unknown(_ row: Int) -> Data { files[row + 2] }
    /// Of another photo than the one whose place it takes.
    var changed: Data { files[14] }
    func account(_ account: Account, _ row: Int) -> Data { files[(account == .first ? 10 : 15) + row] }

    /// Somebody who has signed in.
    enum Account: String, CaseIterable, Sendable {
        case first, second

        var partition: Partition { Partition(rawValue) }
        var authorization: String { "Bearer \(rawValue)" }
    }

    static func path(row: Int) -> String { "/story/\(row + 1).jpg" }
    static func path(unknown row: Int) -> String { "/story/new-\(row + 1).jpg" }
    /// The same for every account: the server tells them apart.
    static func path(accountRow row: Int) -> String { "/account/\(row + 1).jpg" }

    /// The file as the story's server gives it.
    static func resource(_ data: Data, isAskedAbout: Bool = false, version: Int = 1) -> LoopbackServer.Resource {
        LoopbackServer.Resource(
            data, type: "image/jpeg", etag: "\"v\(version)\"",
            fields: ["Cache-Control": isAskedAbout ? "max-age=0" : "max-age=3600"])
    }
}

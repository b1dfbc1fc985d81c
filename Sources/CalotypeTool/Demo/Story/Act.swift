/// An act of the story that `calo demo` tells: what was shown, what it took, and what had to be so.
struct Act: Sendable {
    enum Name: String, CaseIterable, Sendable {
        case coldStart = "cold start"
        case warmStart = "warm start"
        case change = "one picture changed"
        case offline
        case reconnection = "online again"
        case signOut = "sign-out"
    }

    /// What the screen showed at a moment.
    struct Scene: Sendable {
        let caption: String
        let frame: FilmFrame
    }

    let name: Name
    /// What happens in it, in a sentence.
    let plot: String
    let rowCount: Int
    /// Rows that showed their picture, or an impression of it, in the first frame.
    let shownAtOnceCount: Int
    /// What the server saw.
    let traffic: StoryOrigin.Traffic
    /// From the first frame to the one in which nothing more was to come; `nil` where there was nothing to wait for.
    let duration: Duration?
    let claims: [Claim]
    let scenes: [Scene]

    /// The claims that don't hold.
    var failures: [Claim] { claims.filter { !$0.holds } }
}

/// Something that has to be so, and whether it is.
struct Claim: Sendable, Codable, Equatable {
    let text: String
    let expected: String
    let found: String

    var holds: Bool { found == expected }

    /// A claim of a number, or of whatever can be said in words.
    init(_ text: String, _ found: some CustomStringConvertible, is expected: some CustomStringConvertible) {
        self.text = text
        self.expected = "\(expected)"
        self.found = "\(found)"
    }

    /// A claim that something is so of each: "8 of 8".
    init(_ text: String, _ found: Int, ofAll count: Int) {
        self.init(text, "\(found) of \(count)", is: "\(count) of \(count)")
    }

    /// "every row shows its picture: 7 of 8, not 8 of 8"
    var failure: String { "\(text): \(found), not \(expected)" }
}

/// The story can't go on.
struct StoryError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

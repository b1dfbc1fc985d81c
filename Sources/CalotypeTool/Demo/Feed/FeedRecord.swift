/// What the rows of a feed have shown, frame after frame.
struct FeedRecord: Codable, Sendable {
    /// Times that a row came into view.
    private(set) var appearanceCount = 0
    /// Those of them in which it showed a placeholder for a frame or longer.
    private(set) var blankAppearanceCount = 0
    /// Those of them whose row had shown its picture before.
    private(set) var flashCount = 0
    /// Frames with a placeholder, counted for each row.
    private(set) var blankFrameCount = 0
    /// Appearances that ended in a failure.
    private(set) var failureCount = 0
    /// From the first frame to the first with a picture.
    private(set) var firstPicture: Duration?
    /// From the first frame to the first in which every row in view showed its picture.
    private(set) var firstScreen: Duration?

    /// Rows that have shown their picture so far.
    private(set) var rowsShown: Set<Int> = []
    private var rowsInView: Set<Int> = []
    private var blankRows: Set<Int> = []
    private var failedRows: Set<Int> = []

    private enum CodingKeys: CodingKey {
        case appearanceCount, blankAppearanceCount, flashCount, blankFrameCount, failureCount, firstPicture, firstScreen
    }

    /// Notes a frame.
    ///
    /// - Parameter contents: Of each row in view.
    mutating func add(_ contents: [Int: FeedContent], at time: Duration) {
        let left = rowsInView.subtracting(contents.keys)
        blankRows.subtract(left)
        failedRows.subtract(left)
        appearanceCount += contents.keys.count { !rowsInView.contains($0) }
        rowsInView = Set(contents.keys)

        for (row, content) in contents {
            switch content {
            case .picture:
                rowsShown.insert(row)
            case .placeholder:
                blankFrameCount += 1
                guard blankRows.insert(row).inserted else { continue }
                blankAppearanceCount += 1
                if rowsShown.contains(row) { flashCount += 1 }
            case .failure:
                if failedRows.insert(row).inserted { failureCount += 1 }
            }
        }
        if firstPicture == nil, contents.values.contains(where: { $0.picture != nil }) { firstPicture = time }
        if firstScreen == nil, contents.values.allSatisfy({ $0.picture != nil }) { firstScreen = time }
    }
}

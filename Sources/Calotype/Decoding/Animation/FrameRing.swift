/// The frames of an animation that are at hand: those that will be shown soonest, within a number of bytes.
struct FrameRing {
    let frameCount: Int
    let byteLimit: Int
    /// The frame that was asked for last. What follows it is shown next; itself, what asked for it holds.
    var wanted = 0
    private(set) var byteCount = 0
    private var frames: [Int: DecodedImage] = [:]

    init(frameCount: Int, byteLimit: Int) {
        self.frameCount = frameCount
        self.byteLimit = byteLimit
    }

    var count: Int { frames.count }

    subscript(index: Int) -> DecodedImage? { frames[index] }

    /// Lets frames go until there is room for so many bytes, or there are none left. Those go first that will be shown last.
    mutating func makeRoom(for newByteCount: Int) {
        while byteCount + newByteCount > byteLimit, let last = frames.keys.max(by: { distance(to: $0) < distance(to: $1) }) {
            byteCount -= frames.removeValue(forKey: last)?.byteCount ?? 0
        }
    }

    mutating func insert(_ frame: DecodedImage, at index: Int) {
        byteCount -= frames.removeValue(forKey: index)?.byteCount ?? 0
        makeRoom(for: frame.byteCount)
        frames[index] = frame
        byteCount += frame.byteCount
    }

    mutating func removeAll() {
        frames = [:]
        byteCount = 0
    }

    /// How many frames are shown before that one, from the one after ``wanted`` on.
    func distance(to index: Int) -> Int { (index - wanted - 1 + frameCount) % frameCount }
}

import Foundation

/// Where a feed is scrolled to in each frame: down, up and down again, with a rest before and after each pass.
struct FeedScript: Sendable {
    /// A pass, or what lies between two.
    private struct Section {
        let frames: Range<Int>
        let isPass: Bool
    }

    static let framesPerSecond = 60
    private static let firstRest = 30
    private static let rest = 12

    let layout: FeedLayout
    /// How far the feed is scrolled, for each frame.
    let offsets: [Double]
    private let sections: [Section]

    /// - Parameter passFrameCount: At least 1.
    init(_ layout: FeedLayout, passFrameCount: Int) {
        precondition(passFrameCount > 0, "A pass has at least one frame; got \(passFrameCount).")
        self.layout = layout
        let end = layout.maximumOffset
        var offsets: [Double] = []
        var sections: [Section] = []
        func stay(_ count: Int, at offset: Double) {
            sections.append(Section(frames: offsets.count..<offsets.count + count, isPass: false))
            offsets += Array(repeating: offset, count: count)
        }
        stay(Self.firstRest, at: 0)
        for (from, to) in [(0, end), (end, 0), (0, end)] {
            sections.append(Section(frames: offsets.count..<offsets.count + passFrameCount, isPass: true))
            // As a finger's push goes: it gains speed, and runs out.
            offsets += (1...passFrameCount).map { frame in
                let part = Double(frame) / Double(passFrameCount)
                return frame == passFrameCount ? to : from + (to - from) * (1 - cos(part * .pi)) / 2
            }
            stay(Self.rest, at: to)
        }
        self.offsets = offsets
        self.sections = sections
    }

    /// The rows that come into view in a frame.
    func rowsEntering(at frame: Int) -> [Int] {
        let now = layout.rows(at: offsets[frame])
        guard frame > 0 else { return Array(now) }
        let before = layout.rows(at: offsets[frame - 1])
        return now.filter { !before.contains($0) }
    }

    /// The frames of the film strip: three of the first rest, then those in which most of a row has just come into view,
    /// in the middle of the first pass and in each third of the others.
    var moments: [Int] {
        let passes = sections.filter(\.isPass).map(\.frames)
        let windows = passes.enumerated().flatMap { $0 == 0 ? [$1] : Self.thirds(of: $1) }
        return [0, Self.firstRest / 5, Self.firstRest - 1] + windows.compactMap(entrance)
    }

    private func entrance(in frames: Range<Int>) -> Int? {
        frames.max { seenHeightEntering(at: $0) < seenHeightEntering(at: $1) }
    }

    private func seenHeightEntering(at frame: Int) -> Double {
        rowsEntering(at: frame).map { layout.seenHeight(of: $0, at: offsets[frame]) }.reduce(0, +)
    }

    private static func thirds(of frames: Range<Int>) -> [Range<Int>] {
        (0..<3).map { third in
            frames.lowerBound + frames.count * third / 3..<frames.lowerBound + frames.count * (third + 1) / 3
        }
    }
}

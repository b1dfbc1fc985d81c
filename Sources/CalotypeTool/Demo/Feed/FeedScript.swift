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

    /// As many frames as the film strip has.
    static let filmFrameCount = 24

    /// The frames of the film strip: one of each part, from the first frame to the end of the way back up. It is the one
    /// in which most of a row has just come into view, or else the part's first: chosen before anything is shown.
    var moments: [Int] {
        let end = sections.filter(\.isPass).dropFirst().first?.frames.upperBound ?? offsets.count
        return (0..<Self.filmFrameCount).map { part in
            let frames = end * part / Self.filmFrameCount..<end * (part + 1) / Self.filmFrameCount
            return frames.max { seenHeightEntering(at: $0) < seenHeightEntering(at: $1) } ?? frames.lowerBound
        }
    }

    private func seenHeightEntering(at frame: Int) -> Double {
        rowsEntering(at: frame).map { layout.seenHeight(of: $0, at: offsets[frame]) }.reduce(0, +)
    }
}

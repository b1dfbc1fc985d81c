/// One scan of a JPEG file, found by its markers.
struct JPEGScan: Hashable, Sendable {
    /// From its header's marker up to the marker that follows its data.
    let range: Range<Int>
    /// The first and the last frequency that it holds, in the order of the zigzag: 0 is a block's mean.
    let frequencies: ClosedRange<Int>
    /// It adds bits to what earlier scans gave.
    let isRefinement: Bool
    /// A component in it has fewer samples than others.
    let isSubsampled: Bool

    /// All scans of a file.
    ///
    /// - Parameters:
    ///   - limit: The most scans that are looked for.
    ///   - check: Called between scans, and within long ones.
    /// - Returns: `nil` where the file doesn't come to an orderly end within the limit: the decoder, which reads all of it,
    ///   knows why.
    /// - Source: ISO/IEC 10918-1, sections B.2.2, B.2.3 and G.1.
    static func all(in reader: ByteReader, limit: Int, check: () throws -> Void) rethrows -> [JPEGScan]? {
        var scans: [JPEGScan] = []
        var subsampled: [Int] = []
        var segments = JPEGSegments(reader)
        while true {
            switch segments.next() {
            case .end: return scans.isEmpty ? nil : scans
            case .needsMoreBytes, .broken: return nil
            case .segment(let segment) where segment.isScan:
                try check()
                let content = segment.content
                guard scans.count < limit, segment.isWhole, let componentCount = content.byte(0),
                    let first = content.byte(1 + componentCount * 2), let last = content.byte(2 + componentCount * 2),
                    let approximation = content.byte(3 + componentCount * 2), first <= last, last < 64,
                    try segments.skipData(check: check)
                else { return nil }
                let components = (0..<componentCount).compactMap { content.byte(1 + $0 * 2) }
                scans.append(
                    JPEGScan(
                        range: segment.start..<segments.offset, frequencies: first...last,
                        isRefinement: approximation >> 4 != 0,
                        isSubsampled: components.contains(where: subsampled.contains)))
            case .segment(let segment):
                guard segment.isWhole else { return nil }
                if segment.isFrame { subsampled = subsampledComponents(frame: segment.content) }
            }
        }
    }

    /// The components whose sampling factors are less than the largest.
    private static func subsampledComponents(frame: ByteReader) -> [Int] {
        let components = (0..<(frame.byte(5) ?? 0)).compactMap { index -> (name: Int, across: Int, down: Int)? in
            guard let name = frame.byte(6 + index * 3), let sampling = frame.byte(7 + index * 3) else { return nil }
            return (name, sampling >> 4, sampling & 15)
        }
        let across = components.map(\.across).max()
        let down = components.map(\.down).max()
        return components.filter { $0.across != across || $0.down != down }.map(\.name)
    }
}

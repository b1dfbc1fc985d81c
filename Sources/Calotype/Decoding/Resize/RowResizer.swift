/// Takes an image row by row from the top, and places the rows of a smaller one as soon as they are known.
///
///     bytes -> [average of kx x ky boxes] -> floats -> Lanczos along the row -> ring of rows -> Lanczos down -> bytes
///
/// The boxes come in where a side shrinks to a sixth or less: they leave at least three times the target for Lanczos to
/// work on, which keeps its quality (51 dB and more on photographs) at a fraction of its cost.
///
/// - Isolation: Used by one thread.
/// - Memory: One row of the source, and as many target rows of floats as the vertical window is long (7 to 19).
final class RowResizer {
    /// The size of the rows that are given.
    let source: PixelSize
    private let target: PixelSize
    private let isOpaque: Bool
    private let placement: RowPlacement

    private let boxWidth: Int
    private let boxHeight: Int
    private let horizontal: ResizeFilter
    private let vertical: ResizeFilter
    private let isIdentity: Bool

    private let sums: UnsafeMutableBufferPointer<UInt16>
    private let wide: UnsafeMutableBufferPointer<Float>
    private let ring: UnsafeMutableBufferPointer<Float>
    private let sum: UnsafeMutableBufferPointer<Float>
    private let narrow: UnsafeMutableBufferPointer<UInt8>

    private var sourceRow = 0
    private var summedRowCount = 0
    private var boxedRow = 0
    private var targetRow = 0

    /// Makes a resizer.
    ///
    /// - Parameters:
    ///   - source: The size of the rows that will be given, both sides at least 1.
    ///   - extent: How much of them the image covers, where the last column or row is covered partly.
    ///   - isOpaque: All alpha is 255.
    ///   - placement: Takes rows of `placement.storedSize`, the target's size before it is turned upright.
    init(
        source: PixelSize, extent: (width: Double, height: Double)? = nil, isOpaque: Bool, placement: RowPlacement
    ) {
        self.source = source
        self.target = placement.storedSize
        self.isOpaque = isOpaque
        self.placement = placement
        let extent = extent ?? (Double(source.width), Double(source.height))
        isIdentity = source == target
        boxWidth = Self.boxSide(extent.width / Double(target.width))
        boxHeight = Self.boxSide(extent.height / Double(target.height))
        let boxed = PixelSize(
            width: (source.width + boxWidth - 1) / boxWidth, height: (source.height + boxHeight - 1) / boxHeight)
        horizontal = .filter(
            .init(sourceCount: boxed.width, extent: extent.width / Double(boxWidth), targetCount: target.width))
        vertical = .filter(
            .init(sourceCount: boxed.height, extent: extent.height / Double(boxHeight), targetCount: target.height))
        let usesBoxes = boxWidth > 1 || boxHeight > 1
        let rowCount = target.width * 4
        sums = .allocate(capacity: usesBoxes && !isIdentity ? source.width * 4 : 0)
        wide = .allocate(capacity: isIdentity ? 0 : boxed.width * 4)
        ring = .allocate(capacity: isIdentity ? 0 : rowCount * vertical.tapCount)
        sum = .allocate(capacity: isIdentity ? 0 : rowCount)
        narrow = .allocate(capacity: isIdentity && placement.conversion == nil ? 0 : rowCount)
        sums.initialize(repeating: 0)
        wide.initialize(repeating: 0)
        ring.initialize(repeating: 0)
        sum.initialize(repeating: 0)
        narrow.initialize(repeating: 0)
    }

    deinit {
        sums.deallocate()
        wide.deallocate()
        ring.deallocate()
        sum.deallocate()
        narrow.deallocate()
    }

    /// The side of the boxes for that ratio: at least three times the target stays. 256 rows of bytes fit a sum of 16 bits.
    private static func boxSide(_ ratio: Double) -> Int { min(max(Int(ratio / 3), 1), 256) }

    /// Takes the next row: RGBA, premultiplied.
    ///
    /// - Precondition: No more rows than the source has.
    func append(_ row: UnsafePointer<UInt8>) {
        precondition(sourceRow < source.height, "More than \(source.height) rows.")
        defer { sourceRow += 1 }
        if isIdentity {
            placeUnchanged(row)
            return
        }
        guard sums.count > 0 else {
            ResizeKernels.widen(row, wide.baseAddress!, count: source.width * 4)
            filterRow()
            return
        }
        ResizeKernels.accumulate(row, sums.baseAddress!, count: source.width * 4)
        summedRowCount += 1
        guard summedRowCount == boxHeight || sourceRow == source.height - 1 else { return }
        ResizeKernels.averageBoxes(
            sums.baseAddress!, pixelCount: source.width, boxWidth: boxWidth, rowCount: summedRowCount,
            wide.baseAddress!)
        summedRowCount = 0
        filterRow()
    }

    private func placeUnchanged(_ row: UnsafePointer<UInt8>) {
        guard let conversion = placement.conversion else {
            placement.place(row, y: sourceRow)
            return
        }
        let converted = narrow.baseAddress!
        converted.update(from: row, count: target.width * 4)
        conversion.convert(converted, pixelCount: target.width)
        placement.place(converted, y: sourceRow)
    }

    /// Filters the row in `wide` into the ring, and places the target rows whose windows are complete by it.
    private func filterRow() {
        let slot = ring.baseAddress! + boxedRow % vertical.tapCount * target.width * 4
        horizontal.starts.withUnsafeBufferPointer { starts in
            horizontal.weights.withUnsafeBufferPointer { weights in
                ResizeKernels.filterRow(
                    wide.baseAddress!, slot, count: target.width, starts: starts.baseAddress!,
                    weights: weights.baseAddress!, tapCount: horizontal.tapCount)
            }
        }
        while targetRow < target.height, Int(vertical.starts[targetRow]) + vertical.tapCount <= boxedRow + 1 {
            placeTargetRow()
            targetRow += 1
        }
        boxedRow += 1
    }

    private func placeTargetRow() {
        let tapCount = vertical.tapCount
        let count = target.width * 4
        let start = Int(vertical.starts[targetRow])
        let base = ring.baseAddress!
        let sum = sum.baseAddress!
        vertical.weights.withUnsafeBufferPointer { weights in
            var tap = 0
            while tap < tapCount {
                // An odd window's last row is paired with itself, weighted 0.
                let next = min(tap + 1, tapCount - 1)
                ResizeKernels.addRows(
                    sum, base + (start + tap) % tapCount * count, weights[targetRow * tapCount + tap],
                    base + (start + next) % tapCount * count,
                    next == tap ? 0 : weights[targetRow * tapCount + next], count: count, first: tap == 0)
                tap += 2
            }
        }
        let direct = placement.directRow(targetRow)
        let row = direct ?? narrow.baseAddress!
        ResizeKernels.narrow(sum, row, count: count)
        if !isOpaque { ResizeKernels.limitToAlpha(row, pixelCount: target.width) }
        placement.conversion?.convert(row, pixelCount: target.width)
        if direct == nil { placement.place(row, y: targetRow) }
    }
}

/// Takes an image row by row from the top, and places the rows of a smaller one as soon as they are known.
///
///     bytes -> [average of kx x ky boxes] -> floats -> Lanczos along the row -> ring of rows -> Lanczos down -> bytes
///
/// The boxes come in where a side shrinks to a quarter or less (a third, for ``ResizeQuality/fast``): they leave enough for
/// Lanczos to work on, which keeps its quality at a fraction of its cost.
///
/// - Isolation: Used by one thread.
/// - Memory: One row of the source in 2 bytes a sample, one of boxes and as many target rows as the vertical window is long
///   (7 to 25) in floats.
final class RowResizer {
    /// The size of the rows that are given.
    let source: PixelSize
    private let target: PixelSize
    private let channelCount: Int
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
    ///   - averaged: How many pixels of the file, along either side, each pixel of the rows is the average of: the
    ///     denominator of a scaled decode. What that took of the fine detail is given back.
    ///   - channelCount: 4 for RGBA, 3 for RGB, which is opaque.
    ///   - isOpaque: All alpha is 255.
    ///   - placement: Takes rows of `placement.storedSize`, the target's size before it is turned upright.
    init(
        source: PixelSize, extent: (width: Double, height: Double)? = nil, averaged: Double = 1,
        channelCount: Int = 4, isOpaque: Bool, quality: ResizeQuality = .balanced, placement: RowPlacement
    ) {
        precondition(channelCount == 4 || (channelCount == 3 && isOpaque), "Rows are RGBA, or RGB and opaque.")
        self.source = source
        self.target = placement.storedSize
        self.channelCount = channelCount
        self.isOpaque = isOpaque
        self.placement = placement
        let extent = extent ?? (Double(source.width), Double(source.height))
        isIdentity = source == target
        boxWidth = Self.boxSide(extent.width / Double(target.width), quality)
        boxHeight = Self.boxSide(extent.height / Double(target.height), quality)
        let boxed = PixelSize(
            width: (source.width + boxWidth - 1) / boxWidth, height: (source.height + boxHeight - 1) / boxHeight)
        horizontal = .filter(
            .init(
                sourceCount: boxed.width, extent: extent.width / Double(boxWidth), targetCount: target.width,
                averaged: averaged * Double(boxWidth), lobes: quality.lobes))
        vertical = .filter(
            .init(
                sourceCount: boxed.height, extent: extent.height / Double(boxHeight), targetCount: target.height,
                averaged: averaged * Double(boxHeight), lobes: quality.lobes))
        let usesBoxes = boxWidth > 1 || boxHeight > 1
        let rowCount = target.width * 4
        // One more than a row's, as the fourth sample of three is read and not used.
        sums = .allocate(capacity: usesBoxes && !isIdentity ? source.width * channelCount + 1 : 0)
        wide = .allocate(capacity: isIdentity ? 0 : boxed.width * channelCount + 1)
        ring = .allocate(capacity: isIdentity ? 0 : rowCount * vertical.tapCount)
        sum = .allocate(capacity: isIdentity ? 0 : rowCount)
        narrow = .allocate(capacity: isIdentity && placement.conversion == nil && channelCount == 4 ? 0 : rowCount)
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

    /// The side of the boxes for that ratio. 256 rows of bytes fit a sum of 16 bits.
    private static func boxSide(_ ratio: Double, _ quality: ResizeQuality) -> Int {
        min(max(Int(ratio / quality.gap), 1), 256)
    }

    /// Takes the next row: RGBA, premultiplied, or RGB.
    ///
    /// - Precondition: No more rows than the source has.
    func append(_ row: UnsafePointer<UInt8>) {
        precondition(sourceRow < source.height, "More than \(source.height) rows.")
        defer { sourceRow += 1 }
        if isIdentity {
            placeUnchanged(row)
            return
        }
        let count = source.width * channelCount
        guard sums.count > 0 else {
            ResizeKernels.widen(row, wide.baseAddress!, count: count)
            filterRow()
            return
        }
        ResizeKernels.accumulate(row, sums.baseAddress!, count: count)
        summedRowCount += 1
        guard summedRowCount == boxHeight || sourceRow == source.height - 1 else { return }
        ResizeKernels.averageBoxes(
            sums.baseAddress!, pixelCount: source.width, channelCount: channelCount, boxWidth: boxWidth,
            rowCount: summedRowCount, wide.baseAddress!)
        summedRowCount = 0
        filterRow()
    }

    private func placeUnchanged(_ row: UnsafePointer<UInt8>) {
        guard let copy = narrow.baseAddress, narrow.count > 0 else {
            placement.place(row, y: sourceRow)
            return
        }
        if channelCount == 4 {
            copy.update(from: row, count: target.width * 4)
        } else {
            ResizeKernels.addAlpha(row, copy, pixelCount: target.width)
        }
        placement.conversion?.convert(copy, pixelCount: target.width)
        placement.place(copy, y: sourceRow)
    }

    /// Filters the row in `wide` into the ring, and places the target rows whose windows are complete by it.
    private func filterRow() {
        let slot = ring.baseAddress! + boxedRow % vertical.tapCount * target.width * 4
        horizontal.starts.withUnsafeBufferPointer { starts in
            horizontal.weights.withUnsafeBufferPointer { weights in
                ResizeKernels.filterRow(
                    wide.baseAddress!, channelCount: channelCount, slot, count: target.width,
                    starts: starts.baseAddress!, weights: weights.baseAddress!, tapCount: horizontal.tapCount)
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
        let sum = sum.baseAddress!
        vertical.weights.withUnsafeBufferPointer { weights in
            let start = Int(vertical.starts[targetRow])
            let base = ring.baseAddress!
            /// A window's last rows are joined by some of weight 0, up to a multiple of four.
            func weighted(_ tap: Int) -> ResizeKernels.WeightedRow {
                guard tap < tapCount else { return (UnsafePointer(base), 0) }
                return (
                    UnsafePointer(base + (start + tap) % tapCount * count), weights[targetRow * tapCount + tap]
                )
            }
            var tap = 0
            while tap < tapCount {
                ResizeKernels.addRows(
                    sum, weighted(tap), weighted(tap + 1), weighted(tap + 2), weighted(tap + 3), count: count,
                    first: tap == 0)
                tap += 4
            }
        }
        let direct = placement.directRow(targetRow)
        let row = direct ?? narrow.baseAddress!
        ResizeKernels.narrow(sum, row, count: count)
        if channelCount == 3 {
            ResizeKernels.setAlpha(row, pixelCount: target.width)
        } else if !isOpaque {
            ResizeKernels.limitToAlpha(row, pixelCount: target.width)
        }
        placement.conversion?.convert(row, pixelCount: target.width)
        if direct == nil { placement.place(row, y: targetRow) }
    }
}

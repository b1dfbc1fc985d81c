/// Takes an image row by row from the top, and places the rows of a smaller one as soon as they are known.
///
///     bytes -> [average of kx x ky boxes] -> floats -> ring of rows -> Lanczos down -> Lanczos along the row -> bytes
///
/// The boxes come in where a side shrinks to less than a third: they leave enough for Lanczos to work on, which keeps its
/// quality at a fraction of its cost. Down comes first, as that is what vector code does best: along the row there are then
/// only as many rows as the target has.
///
/// - Isolation: Used by one thread.
/// - Memory: One row of the source in 2 bytes a sample; as many rows of boxes as the vertical window is long (7 to 24), and
///   three more rows, in floats.
final class RowResizer {
    /// The size of the rows that are given.
    let source: PixelSize
    private let target: PixelSize
    private let channelCount: Int
    private let isOpaque: Bool
    /// Rows are luma and chroma, which become colours last.
    private let matrix: LumaChromaMatrix?
    private let placement: RowPlacement

    private let boxWidth: Int
    private let boxHeight: Int
    private let horizontal: ResizeFilter
    private let vertical: ResizeFilter
    private let isIdentity: Bool

    private let sums: UnsafeMutableBufferPointer<UInt16>
    private let ring: UnsafeMutableBufferPointer<Float>
    /// Samples from one row of the ring to the next.
    private let ringStride: Int
    private let sum: UnsafeMutableBufferPointer<Float>
    private let interleaved: UnsafeMutableBufferPointer<Float>
    private let filtered: UnsafeMutableBufferPointer<Float>
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
    ///   - matrix: Rows are luma and chroma, opaque, of three channels; `source` counts joined samples.
    ///   - isOpaque: All alpha is 255.
    ///   - placement: Takes rows of `placement.storedSize`, the target's size before it is turned upright.
    init(
        source: PixelSize, extent: (width: Double, height: Double)? = nil, averaged: Double = 1,
        channelCount: Int = 4, matrix: LumaChromaMatrix? = nil, isOpaque: Bool, quality: ResizeQuality = .balanced,
        placement: RowPlacement
    ) {
        precondition(channelCount == 4 || (channelCount == 3 && isOpaque), "Rows are RGBA, or RGB and opaque.")
        self.source = source
        self.target = placement.storedSize
        precondition(matrix == nil || channelCount == 3, "Luma and chroma are three channels.")
        self.channelCount = channelCount
        self.matrix = matrix
        self.isOpaque = isOpaque
        self.placement = placement
        let extent = extent ?? (Double(source.width), Double(source.height))
        isIdentity = source == target && matrix == nil
        // Luma and chroma are used where little is left to do, and have no boxes.
        let usesBoxes = matrix == nil && !isIdentity
        boxWidth =
            usesBoxes ? Self.boxSide(extent.width / Double(target.width), averaged: averaged, quality) : 1
        boxHeight =
            usesBoxes ? Self.boxSide(extent.height / Double(target.height), averaged: averaged, quality) : 1
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
        let rowCount = target.width * 4
        // One more than a row's, as the fourth sample of three is read and not used.
        sums = .allocate(capacity: boxWidth > 1 || boxHeight > 1 ? source.width * channelCount + 1 : 0)
        ringStride = boxed.width * channelCount + 1
        ring = .allocate(capacity: isIdentity ? 0 : ringStride * vertical.tapCount)
        sum = .allocate(capacity: isIdentity ? 0 : ringStride)
        interleaved = .allocate(capacity: matrix == nil ? 0 : boxed.width * 4)
        filtered = .allocate(capacity: isIdentity ? 0 : rowCount)
        narrow = .allocate(capacity: isIdentity && placement.conversion == nil && channelCount == 4 ? 0 : rowCount)
        sums.initialize(repeating: 0)
        ring.initialize(repeating: 0)
        sum.initialize(repeating: 0)
        interleaved.initialize(repeating: 0)
        filtered.initialize(repeating: 0)
        narrow.initialize(repeating: 0)
    }

    deinit {
        sums.deallocate()
        ring.deallocate()
        sum.deallocate()
        interleaved.deallocate()
        filtered.deallocate()
        narrow.deallocate()
    }

    /// The side of the boxes for that ratio of samples that are averages already. 256 rows of bytes fit a sum of 16 bits.
    private static func boxSide(_ ratio: Double, averaged: Double, _ quality: ResizeQuality) -> Int {
        let side = Int(ratio / quality.gap(averaged: averaged * 3))
        return side >= 3 ? min(side, 256) : ratio >= 2 * quality.gap(averaged: averaged * 2) ? 2 : 1
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
        let slot = ring.baseAddress! + boxedRow % vertical.tapCount * ringStride
        guard sums.count > 0 else {
            ResizeKernels.widen(row, slot, count: count)
            placeTargetRows()
            return
        }
        ResizeKernels.accumulate(row, sums.baseAddress!, count: count)
        summedRowCount += 1
        guard summedRowCount == boxHeight || sourceRow == source.height - 1 else { return }
        ResizeKernels.averageBoxes(
            sums.baseAddress!, pixelCount: source.width, channelCount: channelCount, boxWidth: boxWidth,
            rowCount: summedRowCount, slot)
        summedRowCount = 0
        placeTargetRows()
    }

    /// Takes the next rows of luma and chroma, for a resizer that was made with a matrix.
    ///
    /// - Precondition: No more rows than the source has.
    func append(_ rows: LumaChromaRows) {
        precondition(matrix != nil && sourceRow < source.height, "Rows of colours, or more than \(source.height).")
        sourceRow += 1
        ResizeKernels.join(rows, ring.baseAddress! + boxedRow % vertical.tapCount * ringStride, count: source.width)
        placeTargetRows()
    }

    private func placeUnchanged(_ row: UnsafePointer<UInt8>) {
        guard let copy = narrow.baseAddress, narrow.count > 0 else {
            placement.place(row, y: sourceRow)
            return
        }
        let direct = placement.directRow(sourceRow)
        let target = direct ?? copy
        if channelCount == 4 {
            target.update(from: row, count: source.width * 4)
        } else {
            ResizeKernels.addAlpha(row, target, pixelCount: source.width)
        }
        placement.conversion?.convert(target, pixelCount: source.width)
        if direct == nil { placement.place(target, y: sourceRow) }
    }

    /// Places the target rows whose windows are complete by the row that has come into the ring.
    private func placeTargetRows() {
        while targetRow < target.height, Int(vertical.starts[targetRow]) + vertical.tapCount <= boxedRow + 1 {
            placeTargetRow()
            targetRow += 1
        }
        boxedRow += 1
    }

    private func placeTargetRow() {
        filterDown()
        filterAlong()
        let direct = placement.directRow(targetRow)
        let row = direct ?? narrow.baseAddress!
        ResizeKernels.narrow(filtered.baseAddress!, row, count: target.width * 4)
        if channelCount == 3 {
            ResizeKernels.setAlpha(row, pixelCount: target.width)
        } else if !isOpaque {
            ResizeKernels.limitToAlpha(row, pixelCount: target.width)
        }
        placement.conversion?.convert(row, pixelCount: target.width)
        if direct == nil { placement.place(row, y: targetRow) }
    }

    private func filterDown() {
        let tapCount = vertical.tapCount
        let sum = sum.baseAddress!
        vertical.weights.withUnsafeBufferPointer { weights in
            let start = Int(vertical.starts[targetRow])
            let base = ring.baseAddress!
            /// A window's last rows are joined by some of weight 0, up to a multiple of four.
            func weighted(_ tap: Int) -> ResizeKernels.WeightedRow {
                guard tap < tapCount else { return (UnsafePointer(base), 0) }
                return (
                    UnsafePointer(base + (start + tap) % tapCount * ringStride), weights[targetRow * tapCount + tap]
                )
            }
            var tap = 0
            while tap < tapCount {
                ResizeKernels.addRows(
                    sum, weighted(tap), weighted(tap + 1), weighted(tap + 2), weighted(tap + 3), count: ringStride,
                    first: tap == 0)
                tap += 4
            }
        }
    }

    private func filterAlong() {
        var (row, channelCount) = (sum.baseAddress!, channelCount)
        if matrix != nil {
            (row, channelCount) = (interleaved.baseAddress!, 4)
            ResizeKernels.interleave(sum.baseAddress!, row, count: source.width)
        }
        horizontal.starts.withUnsafeBufferPointer { starts in
            horizontal.weights.withUnsafeBufferPointer { weights in
                ResizeKernels.filterRow(
                    row, channelCount: channelCount, filtered.baseAddress!, count: target.width,
                    starts: starts.baseAddress!, weights: weights.baseAddress!, tapCount: horizontal.tapCount)
            }
        }
        if let matrix { ResizeKernels.convert(filtered.baseAddress!, pixelCount: target.width, by: matrix) }
    }
}

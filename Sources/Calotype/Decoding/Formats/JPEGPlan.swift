/// How a JPEG is decoded for a target: the scale, and what of a progressive file that scale needs.
struct JPEGPlan {
    /// The size in the file.
    let stored: PixelSize
    /// The upright size.
    let original: PixelSize
    /// The size of the result, upright.
    let result: PixelSize
    /// The size of the result before it is turned.
    let storedResult: PixelSize
    /// 1, 2, 4 or 8: what the sides are divided by while decoding.
    let denominator: Int
    let quality: ResizeQuality
    /// How many times larger than the result the file is, along the side where that is less.
    private let ratio: Double
    private let orientation: ImageOrientation

    init(stored: PixelSize, orientation: ImageOrientation, target: PixelTarget, quality: ResizeQuality) {
        self.stored = stored
        self.orientation = orientation
        self.quality = quality
        original = orientation.applied(to: stored)
        result = target.pixelSize(for: original)
        storedResult = orientation.applied(to: result)
        ratio = min(
            Double(stored.width) / Double(storedResult.width), Double(stored.height) / Double(storedResult.height))
        denominator = Self.denominator(ratio: ratio, quality: quality)
    }

    /// Decoded rows are the result's as they are.
    var isDirect: Bool { denominator == 1 && stored == storedResult && orientation == .up }

    /// How much of the scaled rows the image covers: the last column and row may be covered in part.
    var extent: (width: Double, height: Double) {
        (Double(stored.width) / Double(denominator), Double(stored.height) / Double(denominator))
    }

    /// The scale to decode at. Only 1/2, 1/4 and 1/8 have vector code. What is left over is for the resize. Scaled pixels
    /// are plain means, which let through the more of details too fine for the result, the more pixels they are made of: so
    /// that 1/8 needs more than the others for the same quality. Measured against a resize of all pixels: 48 dB and more for
    /// photographs of 12 megapixels and more; 42 to 56 for small ones, whose details are as fine as their pixels.
    private static func denominator(ratio: Double, quality: ResizeQuality) -> Int {
        let gaps = quality == .fast ? [(8, 1.25), (4, 1.25), (2, 1.25)] : [(8, 1.875), (4, 1.65), (2, 1.5)]
        for (denominator, gap) in gaps where ratio >= Double(denominator) * gap { return denominator }
        return 1
    }

    /// The scans of a progressive file that the result doesn't need, neighbours as one range.
    ///
    /// - At 1/8 the library reads the means of blocks alone, so that leaving out all other frequencies changes nothing;
    ///   but of components with fewer samples it reads as much as of others at 1/4, and gets all.
    /// - At 1/4, the first pass over the lowest five frequencies is enough where the result is a twelfth or less, as the
    ///   resize takes away what is above them, and where they aren't quantized coarsely: what refinements would add is
    ///   then a fraction of a level. Measured on photographs against all of the file: 48 dB and more.
    ///
    /// - Parameter quantizerStep: The mean step of the lowest five frequencies; 0 if it isn't known.
    func needlessScans(of scans: [JPEGScan], quantizerStep: Int) -> [Range<Int>] {
        guard denominator >= 4 else { return [] }
        let isFine = quality == .fast || isFine(quantizerStep)
        func isNeedless(_ scan: JPEGScan) -> Bool {
            let first = scan.frequencies.lowerBound
            if first == 0 { return false }
            if denominator == 8 { return !scan.isSubsampled }
            return isFine && (scan.isRefinement || first > 5)
        }
        var ranges: [Range<Int>] = []
        for scan in scans where isNeedless(scan) {
            if let last = ranges.last, last.upperBound == scan.range.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<scan.range.upperBound
            } else {
                ranges.append(scan.range)
            }
        }
        return ranges
    }

    /// The error grows with the step, and falls with the third power of what the resize averages.
    private func isFine(_ quantizerStep: Int) -> Bool {
        let gap = ratio / 12
        return gap >= 1 && quantizerStep > 0 && Double(quantizerStep) <= 4 * gap * gap * gap
    }
}

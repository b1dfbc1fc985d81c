#if canImport(CCodecs)
import CCodecs

/// Decodes JPEG through libjpeg-turbo: at the smallest of its fast scales that leaves a good resize enough to work on,
/// rows resized as they come.
///
/// At an eighth, where the means of blocks are all that is needed, codes of usual baseline files are passed over without the
/// library, in two thirds of its time; whatever looks unusual is left to it.
///
/// Harmless warnings (bytes before a marker) are overlooked, as browsers do. Damaged entropy-coded data is refused,
/// and so is a file that ends before its pixels do. A baseline file in one scan that lacks nothing but its
/// end-of-image marker has all its pixels, and is decoded.
///
/// Of a progressive file, scans that a small result doesn't need are left out (``JPEGPlan``). Their markers are looked at,
/// up to the file's end, so that a file that was cut off is still incomplete; damage within their data isn't seen.
///
/// A value that borrows the bytes: used inside one `withUnsafeBytes` closure.
struct JPEGDecoder {
    let bytes: UnsafeRawBufferPointer
    let header: ImageHeader
    let options: DecodeOptions
    let check: DecodeGuard

    func decode() throws -> DecodedImage {
        let reader = try JPEGReader(bytes)
        // A whole file suspends nothing: what is missing is an error.
        guard let info = try reader.header() else { throw ImageError(.decoding, .incomplete(.jpeg)) }
        let stored = PixelSize(width: Int(info.width), height: Int(info.height))
        try check.check(stored)
        let plan = JPEGPlan(
            stored: stored, orientation: header.orientation, target: options.target, quality: options.quality)
        if info.is_progressive, plan.denominator >= 4,
            let scans = try JPEGScan.all(
                in: ByteReader(bytes), limit: check.limits.scanCount, check: check.check)
        {
            try reader.skip(plan.needlessScans(of: scans, quantizerStep: Int(info.quantizer_step)))
        }
        let conversion = JPEGMetadata(ByteReader(bytes)).conversion(info.model, options: options)
        let rows = try reader.start(plan, model: info.model)
        try reader.consume(check)
        let bitmap = try Bitmap(size: plan.result) { buffer in
            let placement = RowPlacement(
                buffer, storedSize: plan.storedResult, orientation: header.orientation, conversion: conversion)
            var pass = JPEGPass(plan: plan, rows: rows, placement: placement)
            // The library suspends only where its source does, which ours doesn't.
            guard try pass.read(from: reader, check: check) else { throw ImageError(.decoding, .incomplete(.jpeg)) }
        }
        return DecodedImage(bitmap: bitmap, originalPixelSize: plan.original, conversion: conversion)
    }
}

/// One pass over an image's rows: decoded, resized and placed.
struct JPEGPass {
    private let scaled: PixelSize
    private let channelCount: Int
    private let placement: RowPlacement
    /// `nil` where rows are written to their place at once.
    private let resizer: RowResizer?
    private let rows: JPEGRows
    /// How many rows have been read.
    private(set) var rowCount = 0

    init(plan: JPEGPlan, rows: (size: PixelSize, channelCount: Int), placement: RowPlacement) {
        scaled = rows.size
        channelCount = rows.channelCount
        self.placement = placement
        resizer =
            plan.isDirect
            ? nil
            : RowResizer(
                source: scaled, extent: plan.extent, averaged: Double(plan.denominator), channelCount: channelCount,
                isOpaque: true, quality: plan.quality, placement: placement)
        self.rows = JPEGRows(byteCount: plan.isDirect ? 0 : scaled.width * channelCount * Self.batch)
    }

    /// Reads what there is.
    ///
    /// - Returns: Whether all rows have been read.
    mutating func read(from reader: JPEGReader, check: DecodeGuard) throws -> Bool {
        let stride = scaled.width * channelCount
        while rowCount < scaled.height {
            try check.check()
            let destination = resizer == nil ? placement.base + rowCount * stride : rows.base
            let count = try reader.readRows(
                destination, stride: stride, capacity: min(Self.batch, scaled.height - rowCount))
            guard let count else { return false }
            for row in 0..<count {
                if let resizer {
                    resizer.append(rows.base + row * stride)
                } else {
                    placement.finishDirectRow(rowCount + row)
                }
            }
            rowCount += count
        }
        return true
    }

    private static let batch = 8
}

/// Memory for a few rows.
private final class JPEGRows {
    let base: UnsafeMutablePointer<UInt8>

    init(byteCount: Int) { base = .allocate(capacity: max(byteCount, 1)) }

    deinit { base.deallocate() }
}

extension JPEGMetadata {
    /// What turns rows into colours. Inks always need it: without a profile that can be used they are mixed plainly.
    func conversion(_ model: cc_jpeg_model, options: DecodeOptions) -> ColorConversion? {
        var source = SourceColor()
        switch model {
        case CC_JPEG_INKS: source.model = .cmyk
        case CC_JPEG_GRAY: source.model = .gray
        default: source.model = .rgb
        }
        if let profile = profile(limit: options.limits.profileByteCount) { source.encoding = .profile(profile) }
        let conversion = ColorConversion(source, to: options.colorSpace, limits: options.limits)
        guard conversion == nil, source.model == .cmyk, source.encoding != .standard else { return conversion }
        source.encoding = .standard
        return ColorConversion(source, to: options.colorSpace, limits: options.limits)
    }
}
#endif

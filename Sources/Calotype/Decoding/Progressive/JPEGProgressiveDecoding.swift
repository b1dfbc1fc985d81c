#if canImport(CCodecs)
import CCodecs
import Foundation

/// A JPEG shown while it arrives.
///
/// - A file in several scans is shown whole, sharper with each scan that brings frequencies of its own; refinements of them
///   are hardly seen, so that nothing more is read once all frequencies have come.
/// - A file in one scan is shown as far as its rows have come, an eighth of them at a time; what is missing is transparent.
/// - Before either, the thumbnail of its EXIF segment is shown, enlarged, if it has the image's aspect.
///
/// Previews have the target's size, stand upright, and have the colours that the image will have. None is the final image,
/// even if all bytes have come: that there is no damage isn't looked at here.
///
/// - Isolation: `@unchecked Sendable`: one thread at a time uses it, as the protocol says; nothing else refers to its state.
/// - Memory: The bytes that have arrived since the last preview, and up to twice; what a decode takes, until it is released;
///   for a file in one scan, the result twice. Results of more than 16 megapixels have no previews.
final class JPEGProgressiveDecoding: ProgressiveDecoding, @unchecked Sendable {
    private enum State {
        /// The bytes before the first scan, and the place up to which segments are known.
        case header(Data, offset: Int)
        case decoding(JPEGArrival)
        /// Nothing more can be shown.
        case ended
    }

    private static let pixelLimit = 16 << 20

    private let options: DecodeOptions
    private var state = State.header(Data(), offset: JPEGSegments.firstOffset)
    private var byteCount = 0
    private var spent = Duration.zero

    init(options: DecodeOptions) {
        self.options = options
    }

    /// Copies the bytes; nothing is decoded.
    func append(_ bytes: Data) throws {
        byteCount += bytes.count
        guard byteCount <= options.limits.bodyByteCount else {
            throw ImageError(
                .decoding, .bodyTooLarge(byteCount: Int64(byteCount), limit: Int64(options.limits.bodyByteCount)))
        }
        switch state {
        case .header(var head, let offset):
            // The state must not share the buffer, or each append would copy all of it.
            state = .ended
            head.append(bytes)
            state = .header(head, offset: offset)
        case .decoding(let arrival):
            try bytes.withUnsafeBytes(arrival.reader.append)
        case .ended:
            break
        }
    }

    /// Decodes what has been appended, as far as it is worth showing.
    func preview() throws -> DecodedImage? {
        // Time counts while decoding, not while bytes arrive.
        let start = ContinuousClock.now
        defer { spent += .now - start }
        let check = DecodeGuard(format: .jpeg, options: options, spent: spent)
        try check.check()
        if case .header(let head, let offset) = state {
            guard let end = Self.firstScan(of: head, from: offset) else {
                state = .ended
                return nil
            }
            state = .header(head, offset: end.offset)
            guard end.isFound else { return nil }
            let arrival = try JPEGArrival(head, options: options, check: check)
            state = arrival.map(State.decoding) ?? .ended
        }
        guard case .decoding(let arrival) = state else { return nil }
        let image = try arrival.preview(options: options, check: check)
        if arrival.isDone { state = .ended }
        return image
    }

    /// Where the first scan's header is, as far as the bytes tell; `nil` if there is none before the end of the file.
    private static func firstScan(of head: Data, from offset: Int) -> (offset: Int, isFound: Bool)? {
        head.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            if reader.count < JPEGSegments.firstOffset { return (offset, false) }
            var segments = JPEGSegments(reader, from: offset)
            var known = offset
            while true {
                switch segments.next() {
                case .segment(let segment):
                    guard segment.isWhole else { return (known, false) }
                    if segment.isScan { return (known, true) }
                    known = segments.offset
                case .needsMoreBytes: return (known, false)
                case .end, .broken: return nil
                }
            }
        }
    }

    /// A JPEG whose header has arrived.
    private final class JPEGArrival {
        let reader: JPEGReader
        private(set) var isDone = false
        private let plan: JPEGPlan
        private let orientation: ImageOrientation
        private let scaled: (size: PixelSize, channelCount: Int)
        private let conversion: ColorConversion?
        private var thumbnail: Data?
        /// The rows so far of a file in one scan.
        private var rows: (pass: JPEGPass, canvas: Canvas, shownCount: Int)?

        /// - Parameter head: All that has arrived, the first scan's header included.
        /// - Returns: `nil` where previews would take too much memory.
        init?(_ head: Data, options: DecodeOptions, check: DecodeGuard) throws {
            guard case .image(let header) = ImageHeader.parse(head) else { return nil }
            reader = try JPEGReader()
            try head.withUnsafeBytes(reader.append)
            guard let info = try reader.header() else { return nil }
            let stored = PixelSize(width: Int(info.width), height: Int(info.height))
            try check.check(stored)
            orientation = header.orientation
            plan = JPEGPlan(
                stored: stored, orientation: orientation, target: options.target, quality: options.quality)
            guard plan.result.pixelCount <= JPEGProgressiveDecoding.pixelLimit else { return nil }
            (conversion, thumbnail) = head.withUnsafeBytes { bytes in
                let metadata = JPEGMetadata(ByteReader(bytes))
                let thumbnail = metadata.exif.flatMap(ExifThumbnail.bytes)
                return (metadata.conversion(info.model, options: options), thumbnail.map { Data($0.bytes) })
            }
            scaled = try reader.start(plan, model: info.model)
            guard !info.has_multiple_scans else { return }
            let canvas = Canvas(byteCount: plan.result.pixelCount * 4)
            rows = (JPEGPass(plan: plan, rows: scaled, placement: placement(canvas.bytes)), canvas, 0)
        }

        private func placement(_ buffer: UnsafeMutableRawBufferPointer) -> RowPlacement {
            RowPlacement(buffer, storedSize: plan.storedResult, orientation: orientation, conversion: conversion)
        }

        func preview(options: DecodeOptions, check: DecodeGuard) throws -> DecodedImage? {
            if let bitmap = try rows == nil ? scansSoFar(check) : rowsSoFar(check) {
                thumbnail = nil
                return image(bitmap, colorSpace: conversion?.result ?? .sRGB)
            }
            guard let data = thumbnail else { return nil }
            thumbnail = nil
            let preview = try ExifThumbnail.decode(data, for: plan, options: options, check: check)
            return preview.map { image($0.bitmap.oriented(orientation), colorSpace: $0.colorSpace) }
        }

        private func image(_ bitmap: Bitmap, colorSpace: DecodedImage.ColorSpace) -> DecodedImage {
            DecodedImage(bitmap: bitmap, originalPixelSize: plan.original, colorSpace: colorSpace)
        }

        private func scansSoFar(_ check: DecodeGuard) throws -> Bitmap? {
            let progress = try reader.consume(check)
            isDone = progress.is_done
            guard progress.has_more_to_show else { return nil }
            try reader.startPass()
            let bitmap = try Bitmap(size: plan.result) { buffer in
                var pass = JPEGPass(plan: plan, rows: scaled, placement: placement(buffer))
                // A pass over scans that have ended waits for nothing.
                guard try pass.read(from: reader, check: check) else { throw ImageError(.decoding, .incomplete(.jpeg)) }
            }
            try reader.finishPass()
            return bitmap
        }

        private func rowsSoFar(_ check: DecodeGuard) throws -> Bitmap? {
            guard var rows else { return nil }
            isDone = try rows.pass.read(from: reader, check: check)
            defer { self.rows = rows }
            // The resize's window keeps it up to four rows behind.
            let height = plan.storedResult.height
            let count = isDone ? height : rows.pass.rowCount * height / scaled.size.height - 4
            guard count - rows.shownCount >= max(height / 8, 1) || isDone else { return nil }
            rows.shownCount = count
            return Bitmap(size: plan.result) { $0.copyMemory(from: UnsafeRawBufferPointer(rows.canvas.bytes)) }
        }
    }

    /// Pixels that are written over the time of several previews, transparent at first.
    private final class Canvas {
        let bytes: UnsafeMutableRawBufferPointer

        init(byteCount: Int) {
            bytes = .allocate(byteCount: byteCount, alignment: 16)
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }

        deinit { bytes.deallocate() }
    }
}
#endif

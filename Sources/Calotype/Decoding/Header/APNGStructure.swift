/// The frames of an animated PNG, and how often they play, without their pixels.
///
///     IHDR acTL [fcTL] IDAT… (fcTL fdAT…)… IEND
///
/// The image that decoders without animation show is the first frame if a control chunk comes before it, and else no frame.
///
/// - Source: PNG (third edition), sections 4.9 and 11.3.6. In case of an error the still image is to be shown.
struct APNGStructure {
    struct Frame {
        var control: FrameControl
        /// Where the first of the frame's chunks is; `nil` if its pixels are the still image's.
        var dataOffset: Int?
    }

    private(set) var frames: [Frame] = []
    /// How often the animation plays; 0 means for ever.
    private(set) var loopCount = 0
    /// What the frames' pixels need beside themselves.
    private(set) var heads = Heads()

    /// Fewer frames than are announced are those that there are; of more, the first are taken. All else that is wrong
    /// (missing or repeated chunks, a sequence that isn't one, a frame beside the canvas) makes it no animation.
    ///
    /// - Returns: `nil` if the file is no sound animation: the still image is all that there is to show.
    /// - Throws: If more frames are announced, and there, than the limit.
    init?(_ reader: ByteReader, canvas: PixelSize, frameLimit: Int = .max) throws {
        var announced: Int?
        var sequence = 0
        /// The control of a frame whose pixels haven't been seen yet.
        var open: FrameControl?
        var (hasStill, isInFrame, isEnded) = (false, false, false)

        func isNext(_ chunk: PNGChunks.Chunk) -> Bool {
            defer { sequence += 1 }
            return chunk.content.big(0, size: 4) == sequence
        }

        walk: for chunk in PNGChunks(reader) {
            if chunk.is("IHDR") {
                heads.kind = Array(chunk.content.slice(8, length: 5).bytes)
            } else if chunk.is("PLTE") || chunk.is("tRNS") {
                heads.append(chunk)
            } else if chunk.is("acTL") {
                guard announced == nil, !hasStill, chunk.isSound, let count = chunk.content.big(0, size: 4), count > 0,
                    count < 1 << 31, let plays = chunk.content.big(4, size: 4)
                else { return nil }
                announced = count
                loopCount = plays
            } else if announced == nil {
                // Without it the other chunks mean nothing.
                if chunk.is("IDAT") { return nil }
            } else if chunk.is("fcTL") {
                guard open == nil, chunk.isSound, isNext(chunk), let control = Self.control(chunk.content, canvas: canvas),
                    hasStill || control.covers(canvas)
                else { return nil }
                open = control
            } else if chunk.is("IDAT") {
                guard !hasStill || open == nil else { return nil }
                hasStill = true
                if let control = open { frames.append(Frame(control: control, dataOffset: nil)) }
                open = nil
            } else if chunk.is("fdAT") {
                guard hasStill, open != nil || isInFrame, isNext(chunk) else { return nil }
                isInFrame = true
                guard let control = open, frames.count < announced ?? 0 else {
                    // More of the frame before, or a frame that isn't announced.
                    open = nil
                    continue
                }
                open = nil
                guard frames.count < frameLimit else {
                    throw ImageError(.decoding, .limitExceeded(.png, detail: "more than \(frameLimit) frames"))
                }
                frames.append(Frame(control: control, dataOffset: chunk.start))
            } else if chunk.is("IEND") {
                isEnded = chunk.isWhole
                break walk
            }
        }
        guard isEnded, open == nil, !frames.isEmpty, heads.kind.count == 5 else { return nil }
    }

    private static func control(_ content: ByteReader, canvas: PixelSize) -> FrameControl? {
        guard let width = content.big(4, size: 4), let height = content.big(8, size: 4),
            let left = content.big(12, size: 4), let top = content.big(16, size: 4),
            let numerator = content.big(20, size: 2), let denominator = content.big(22, size: 2),
            let disposal = content.byte(24), let blend = content.byte(25), disposal <= 2, blend <= 1,
            width > 0, height > 0, width <= canvas.width, height <= canvas.height, left <= canvas.width - width,
            top <= canvas.height - height
        else { return nil }
        // No denominator means hundredths.
        let duration = Duration.seconds(numerator) / (denominator == 0 ? 100 : denominator)
        return FrameControl(
            left: left, top: top, width: width, height: height, duration: FrameControl.shownDuration(duration),
            blend: blend == 0 ? .source : .over, disposal: [.keep, .clear, .restore][disposal])
    }

    /// The beginnings of files that consist of one frame each.
    struct Heads: Sendable {
        /// IHDR's bit depth, color type, compression, filter and interlace method.
        fileprivate(set) var kind: [UInt8] = []
        /// PLTE and tRNS, as they are.
        private var palette: [UInt8] = []

        fileprivate mutating func append(_ chunk: PNGChunks.Chunk) {
            // 256 colors at the most. Of others the still image is as good or bad as libpng takes it.
            guard chunk.isWhole, chunk.length <= 768, palette.count <= 780 else { return }
            palette.append(contentsOf: chunk.bytes)
            if palette.count > 1_060 { palette = [] }
        }

        /// The signature, IHDR with the frame's size, and the palette.
        func head(of control: FrameControl) -> [UInt8] {
            func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) } }
            let chunk = Array("IHDR".utf8) + big(control.width) + big(control.height) + kind
            return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + big(13) + chunk
                + big(Int(Checksum(chunk).value)) + palette
        }
    }
}

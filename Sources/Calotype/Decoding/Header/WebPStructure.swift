/// The frames of an animated WebP, without their pixels.
///
/// The file's structure has been checked by libwebp's demuxer: this only finds places.
///
/// - Source: RFC 9649, section 2.7.1.
struct WebPStructure {
    struct Frame {
        var control: FrameControl
        /// Where the frame's own chunks are.
        var offset: Int
        var length: Int
    }

    private(set) var frames: [Frame] = []

    init(_ reader: ByteReader, canvas: PixelSize) {
        var offset = 12
        while let length = reader.little(offset + 4, size: 4), length <= reader.count - offset - 8 {
            if reader.has("ANMF", at: offset), let frame = Frame(reader.slice(offset + 8, length: length), offset + 8) {
                frames.append(frame)
            }
            // Chunks begin at even offsets.
            offset += 8 + length + length % 2
        }
        if frames.contains(where: { !$0.control.isWithin(canvas) }) { frames = [] }
    }

    /// The chunk's content, if it has that name, up to its end or that of the bytes.
    static func chunk(_ name: StaticString, in reader: ByteReader) -> ByteReader? {
        var offset = 12
        while let length = reader.little(offset + 4, size: 4), length <= reader.count - offset - 8 {
            if reader.has(name, at: offset) { return reader.slice(offset + 8, length: length) }
            offset += 8 + length + length % 2
        }
        return nil
    }
}

extension WebPStructure.Frame {
    fileprivate init?(_ content: ByteReader, _ start: Int) {
        guard let left = content.little(0, size: 3), let top = content.little(3, size: 3),
            let width = content.little(6, size: 3), let height = content.little(9, size: 3),
            let milliseconds = content.little(12, size: 3), let flags = content.byte(15)
        else { return nil }
        control = FrameControl(
            left: left * 2, top: top * 2, width: width + 1, height: height + 1,
            duration: FrameControl.shownDuration(.milliseconds(milliseconds)), blend: flags & 2 == 0 ? .over : .source,
            disposal: flags & 1 == 0 ? .keep : .clear)
        offset = start + 16
        length = content.count - 16
    }
}

extension FrameControl {
    fileprivate func isWithin(_ canvas: PixelSize) -> Bool {
        left <= canvas.width - width && top <= canvas.height - height
    }
}

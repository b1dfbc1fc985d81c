/// The frames of a GIF, and how often they play, without their pixels.
///
/// - Source: GIF89a, sections 18 to 26; Netscape's application extension for the loops.
struct GIFStructure {
    struct Frame {
        var control: FrameControl
        /// Where the image descriptor begins.
        var offset: Int
        var transparentIndex: Int?
        /// A colour table, its own or the file's.
        var hasColors: Bool
    }

    private(set) var frames: [Frame] = []
    /// How often the animation plays; 0 means for ever.
    private(set) var loopCount = 1
    /// Whether the bytes end within a block, or without a frame. That the trailer alone is missing is no fault: writers
    /// forget it, and browsers show such files.
    private(set) var isCutOff = false
    /// Whether there are more frames than allowed. Those beyond aren't read.
    private(set) var exceedsLimit = false

    /// - Complexity: In the number of blocks' pieces, up to 255 bytes each.
    init(_ reader: ByteReader, frameLimit: Int = .max) {
        guard var blocks = GIFBlocks(reader), let canvasWidth = reader.little(6, size: 2),
            let canvasHeight = reader.little(8, size: 2)
        else {
            isCutOff = true
            return
        }
        let canvas = PixelSize(width: canvasWidth, height: canvasHeight)
        let globalFlags = reader.byte(10) ?? 0
        var control = GraphicControl()
        walk: while let block = blocks.next() {
            switch block {
            case .extension(0xF9):
                control = GraphicControl(reader, at: blocks.start) ?? control
            case .extension(0xFF):
                if let count = Self.loopCount(reader, at: blocks.start) { loopCount = count }
            case .extension:
                break
            case .frame(let flags):
                guard frames.count < frameLimit else {
                    exceedsLimit = true
                    return
                }
                let tableFlags = flags & 0x80 != 0 ? flags : globalFlags
                frames.append(
                    Frame(reader, at: blocks.start, control: control, tableFlags: tableFlags, flags, canvas: canvas))
                control = GraphicControl()
            case .trailer, .unknown:
                // What is wrong after an unknown byte isn't that bytes are missing.
                return
            }
        }
        isCutOff = frames.isEmpty || blocks.offset > reader.count
    }

    /// What a graphics control says of the frame after it.
    fileprivate struct GraphicControl {
        var duration = FrameControl.shownDuration(.zero)
        var disposal = FrameControl.Disposal.keep
        var transparentIndex: Int?

        init() {}

        init?(_ reader: ByteReader, at offset: Int) {
            guard reader.byte(offset + 2) == 4, let flags = reader.byte(offset + 3),
                let delay = reader.little(offset + 4, size: 2), let index = reader.byte(offset + 6)
            else { return nil }
            duration = FrameControl.shownDuration(.milliseconds(delay * 10))
            // 4 isn't defined; some writers mean 3 by it, and browsers take it so.
            disposal =
                switch flags >> 2 & 7 {
                case 2: .clear
                case 3, 4: .restore
                default: .keep
                }
            transparentIndex = flags & 1 == 1 ? index : nil
        }
    }

    /// The count of an application's extension that has one: how often it plays after the first time, or 0 for ever.
    private static func loopCount(_ reader: ByteReader, at offset: Int) -> Int? {
        guard reader.byte(offset + 2) == 11,
            reader.has("NETSCAPE2.0", at: offset + 3) || reader.has("ANIMEXTS1.0", at: offset + 3),
            let length = reader.byte(offset + 14), length >= 3, reader.byte(offset + 15) == 1,
            let count = reader.little(offset + 16, size: 2)
        else { return nil }
        return count == 0 ? 0 : count + 1
    }
}

extension GIFStructure.Frame {
    fileprivate init(
        _ reader: ByteReader, at offset: Int, control: GIFStructure.GraphicControl, tableFlags: Int, _ flags: Int,
        canvas: PixelSize
    ) {
        let left = reader.little(offset + 1, size: 2) ?? 0
        let top = reader.little(offset + 3, size: 2) ?? 0
        let width = reader.little(offset + 5, size: 2) ?? 0
        let height = reader.little(offset + 7, size: 2) ?? 0
        // The size of the codes follows the frame's own table. Codes of that size can't name a colour beyond the table.
        let codeSize = reader.byte(offset + 10 + GIFBlocks.tableByteCount(flags)) ?? 8
        hasColors = tableFlags & 0x80 != 0
        let isOpaque = control.transparentIndex == nil && hasColors && codeSize <= tableFlags & 7 + 1
        self.offset = offset
        transparentIndex = control.transparentIndex
        self.control = FrameControl(
            left: left, top: top, width: max(0, min(width, canvas.width - left)),
            height: max(0, min(height, canvas.height - top)), duration: control.duration,
            blend: isOpaque ? .source : .over, disposal: control.disposal)
    }
}

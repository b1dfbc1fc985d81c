/// What the properties of a HEIF file's primary item say of the picture, before any decoder sees it.
///
/// - Source: ISO/IEC 23008-12, sections 6.5.3 (`ispe`), 6.5.9 (`clap`), 6.5.10 (`irot`) and 6.5.12 (`imir`); ISO/IEC
///   14496-12, sections 8.11.4 (`pitm`) and 8.11.14 (`iprp`).
struct HEIFItem {
    /// The upright size, cropped.
    private(set) var pixelSize: PixelSize
    /// How it is turned, after it has been cropped.
    private(set) var orientation = ImageOrientation.up
    /// Bytes that a sample takes, and how many samples there are for each pixel, colours included; as far as the item says.
    private(set) var bytesPerPixel: Double?

    /// Reads the properties from the boxes of `meta`.
    ///
    /// - Returns: `nil` if there is no primary item with a size.
    init?(meta: ISOBoxes) {
        var item: Int?
        var properties: ISOBoxes.Box?
        for box in meta {
            if box.isType("pitm") {
                item = box.payload.big(4, size: box.payload.byte(0) == 0 ? 2 : 4)
            } else if box.isType("iprp") {
                properties = box
            }
        }
        guard let item, let properties else { return nil }
        var container: ISOBoxes.Box?
        var indices: [Int]?
        for box in properties.children() {
            if box.isType("ipco") { container = box }
            if box.isType("ipma"), indices == nil { indices = Self.associations(of: item, in: box.payload) }
        }
        guard let container, let indices, let last = indices.max() else { return nil }

        var found: [Int: ISOBoxes.Box] = [:]
        for (index, box) in container.children().enumerated() {
            // They are counted from 1.
            if indices.contains(index + 1) { found[index + 1] = box }
            if index + 1 >= last { break }
        }
        // A crop is counted in pixels as they are stored: it comes before the turns, whose order matters.
        let boxes = indices.compactMap { found[$0] }
        guard let extent = boxes.first(where: { $0.isType("ispe") })?.payload,
            let width = extent.big(4, size: 4), let height = extent.big(8, size: 4)
        else { return nil }
        pixelSize = PixelSize(width: width, height: height)
        for box in boxes { apply(box) }
    }

    /// The indices of an item's properties, in the order in which they apply. 15 bits bound them, 8 their number.
    private static func associations(of item: Int, in reader: ByteReader) -> [Int]? {
        guard let version = reader.byte(0), let flags = reader.byte(3), let count = reader.big(4, size: 4) else {
            return nil
        }
        let identifierSize = version == 0 ? 2 : 4
        let isWide = flags & 1 == 1
        var offset = 8
        for _ in 0..<count {
            guard let identifier = reader.big(offset, size: identifierSize),
                let associationCount = reader.byte(offset + identifierSize)
            else { return nil }
            offset += identifierSize + 1
            if identifier == item {
                // The uppermost bit says that the property is essential.
                return (0..<associationCount).compactMap { index in
                    isWide
                        ? reader.big(offset + index * 2, size: 2).map { $0 & 0x7FFF }
                        : reader.byte(offset + index).map { $0 & 0x7F }
                }
            }
            offset += associationCount * (isWide ? 2 : 1)
        }
        return nil
    }

    private mutating func apply(_ box: ISOBoxes.Box) {
        let payload = box.payload
        if box.isType("clap") {
            if let crop = CleanAperture(payload)?.rectangle(in: pixelSize) { pixelSize = crop.size }
        } else if box.isType("irot") {
            let turns = (payload.byte(0) ?? 0) & 3
            orientation = orientation.turned(counterclockwise: turns)
            if turns % 2 == 1 { pixelSize = pixelSize.transposed }
        } else if box.isType("imir") {
            orientation = orientation.mirrored((payload.byte(0) ?? 0) & 1 == 0 ? .topToBottom : .leftToRight)
        } else if box.isType("av1C"), let flags = payload.byte(2) {
            let chroma = flags & 0x10 != 0 ? 0 : flags & 0x08 == 0 ? 2 : flags & 0x04 == 0 ? 1 : 0.5
            bytesPerPixel = (1 + chroma) * (flags & 0x40 != 0 ? 2 : 1)
        } else if box.isType("hvcC"), let format = payload.byte(16), let depth = payload.byte(17) {
            let chroma: Double = [0, 0.5, 1, 2][format & 3]
            bytesPerPixel = (1 + chroma) * (depth & 7 > 0 ? 2 : 1)
        }
    }
}

/// A `clap` box: which part of the stored pixels is the picture.
struct CleanAperture {
    /// Width, height, and how far its middle lies right of and below the picture's.
    let width, height, horizontalOffset, verticalOffset: Double

    /// - Parameter terms: A numerator and a denominator for each of the four; those of the offsets may be negative.
    init?(_ terms: [UInt32]) {
        guard terms.count == 8, stride(from: 1, to: 8, by: 2).allSatisfy({ terms[$0] > 0 }) else { return nil }
        width = Double(terms[0]) / Double(terms[1])
        height = Double(terms[2]) / Double(terms[3])
        horizontalOffset = Double(Int32(bitPattern: terms[4])) / Double(terms[5])
        verticalOffset = Double(Int32(bitPattern: terms[6])) / Double(terms[7])
    }

    init?(_ payload: ByteReader) {
        self.init((0..<8).compactMap { payload.big($0 * 4, size: 4).map { UInt32(truncatingIfNeeded: $0) } })
    }

    /// The part in whole pixels, or `nil` if it doesn't lie within the stored ones: it is overlooked then.
    ///
    /// - Source: ISO/IEC 14496-12, section 12.1.4.1.
    func rectangle(in stored: PixelSize) -> (left: Int, top: Int, size: PixelSize)? {
        func span(_ length: Double, _ offset: Double, _ whole: Int) -> (start: Int, count: Int)? {
            let count = length.rounded(.down)
            let start = (offset + (Double(whole) - length) / 2).rounded(.down)
            guard count >= 1, start >= 0, start + count <= Double(whole) else { return nil }
            return (Int(start), Int(count))
        }
        guard let columns = span(width, horizontalOffset, stored.width),
            let rows = span(height, verticalOffset, stored.height)
        else { return nil }
        return (columns.start, rows.start, PixelSize(width: columns.count, height: rows.count))
    }
}

extension ImageOrientation {
    enum Mirror { case leftToRight, topToBottom }

    /// Mirrored left to right first, and then turned clockwise so many times: what each of the eight comes to.
    private static let steps: [(orientation: ImageOrientation, isMirrored: Bool, turns: Int)] = [
        (.up, false, 0), (.right, false, 1), (.down, false, 2), (.left, false, 3),
        (.upMirrored, true, 0), (.rightMirrored, true, 1), (.downMirrored, true, 2), (.leftMirrored, true, 3),
    ]

    private var steps: (isMirrored: Bool, turns: Int) {
        let index = Self.steps.firstIndex { $0.orientation == self } ?? 0
        return (Self.steps[index].isMirrored, Self.steps[index].turns)
    }

    private init(isMirrored: Bool, turns: Int) {
        self = Self.steps[(isMirrored ? 4 : 0) + (turns % 4 + 4) % 4].orientation
    }

    /// The same, and then turned by 90 degrees so many times.
    func turned(counterclockwise turns: Int) -> ImageOrientation {
        ImageOrientation(isMirrored: steps.isMirrored, turns: steps.turns - turns)
    }

    /// The same, and then mirrored.
    func mirrored(_ mirror: Mirror) -> ImageOrientation {
        // A mirror before turns is one after as many turns the other way; upside down is left to right, turned twice.
        ImageOrientation(isMirrored: !steps.isMirrored, turns: (mirror == .topToBottom ? 2 : 0) - steps.turns)
    }
}

package import Foundation

/// Writes GIF files: any number of frames, each of up to 256 colors.
///
/// - Source: GIF89a, sections 17 to 27 and appendix F (LZW).
package enum GIFEncoder {
    /// A frame and where it is on the canvas.
    package struct Frame {
        /// Where the color table is.
        package enum Table: Sendable {
            /// Beside the frame.
            case local
            /// In the header. That of the first frame which says so counts.
            case global
            /// Nowhere: such a file has no colors.
            case none
        }

        var left: Int
        var top: Int
        var width: Int
        var height: Int
        var table: Table
        var isInterlaced: Bool
        /// In hundredths of a second.
        var delay: Int
        /// 0 to 7, as the graphics control has it.
        var disposal: Int
        var pixel: (_ x: Int, _ y: Int) -> PixelColor
        /// All pixels are the first one's: much faster to encode.
        var isPlain = false

        /// - Parameter pixel: Gets a column and a row of the frame; what has an alpha below 128 is transparent.
        package init(
            left: Int = 0, top: Int = 0, width: Int, height: Int, table: Table = .global, isInterlaced: Bool = false,
            delay: Int = 10, disposal: Int = 0, pixel: @escaping (_ x: Int, _ y: Int) -> PixelColor
        ) {
            (self.left, self.top, self.width, self.height) = (left, top, width, height)
            (self.table, self.isInterlaced, self.pixel) = (table, isInterlaced, pixel)
            (self.delay, self.disposal) = (delay, disposal)
        }

        /// A frame of one color, with a table of its own.
        package static func plain(width: Int, height: Int, disposal: Int = 0, color: PixelColor) -> Frame {
            var frame = Frame(width: width, height: height, table: .local, disposal: disposal) { _, _ in color }
            frame.isPlain = true
            return frame
        }
    }

    /// - Parameter loops: Netscape's count; `nil` for no such extension.
    package static func encode(width: Int, height: Int, loops: Int? = nil, frames: [Frame]) -> Data {
        precondition(max(width, height) <= 65_535, "GIF allows 65,535 pixels a side; got \(width) x \(height).")
        let indexed = frames.map { IndexedFrame($0) }
        let global = indexed.first { $0.frame.table == .global }?.colors
        var file = Array("GIF89a".utf8) + little(width) + little(height)
        // The flags with the table's size, the background's index, no aspect ratio.
        file += [global.map { 0xF0 | tableFlags($0) } ?? 0x70, 0, 0] + (global.map(table) ?? [])
        if let loops { file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + little(loops) + [0] }
        for frame in indexed {
            // Graphics control: flags, the delay, the transparent index.
            let transparent = frame.transparentIndex
            let flags = UInt8(frame.frame.disposal << 2) | (transparent == nil ? 0 : 1)
            file += [0x21, 0xF9, 4, flags] + little(frame.frame.delay) + [UInt8(transparent ?? 0), 0]
            file += [0x2C] + little(frame.frame.left) + little(frame.frame.top)
            file += little(frame.frame.width) + little(frame.frame.height)
            let isLocal = frame.frame.table == .local
            file.append((isLocal ? 0x80 | tableFlags(frame.colors) : 0) | (frame.frame.isInterlaced ? 0x40 : 0))
            if isLocal { file += table(frame.colors) }
            let codeSize = max(Int(tableFlags(frame.colors)) + 1, 2)
            file.append(UInt8(codeSize))
            let compressed =
                frame.frame.isPlain
                ? compressRun(frame.frame.width * frame.frame.height, codeSize: codeSize)
                : compress(frame.indices, codeSize: codeSize)
            for start in stride(from: 0, to: compressed.count, by: 255) {
                let piece = compressed[start..<min(start + 255, compressed.count)]
                file += [UInt8(piece.count)] + piece
            }
            file.append(0)
        }
        file.append(0x3B)
        return Data(file)
    }

    /// A frame's colors in the order of their first use, and the index of each pixel in the order of the file.
    private struct IndexedFrame {
        let frame: Frame
        private(set) var colors: [PixelColor] = []
        private(set) var transparentIndex: Int?
        private(set) var indices: [Int] = []

        init(_ frame: Frame) {
            self.frame = frame
            if frame.isPlain {
                colors = [frame.pixel(0, 0)]
                return
            }
            var known: [PixelColor: Int] = [:]
            let rows = Array(0..<frame.height)
            let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
            let order = frame.isInterlaced ? passes.flatMap { pass in rows.filter { $0 % pass.1 == pass.0 } } : rows
            for y in order {
                for x in 0..<frame.width {
                    let pixel = frame.pixel(x, y)
                    let color = pixel.alpha < 128 ? .clear : PixelColor(pixel.red, pixel.green, pixel.blue)
                    let index = known[color] ?? colors.count
                    if index == colors.count {
                        known[color] = index
                        colors.append(color)
                        if color == .clear { transparentIndex = index }
                    }
                    indices.append(index)
                }
            }
            precondition(colors.count <= 256, "A GIF's frame has at most 256 colors; got \(colors.count).")
        }
    }

    private static func little(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }

    /// The exponent of the table's size, less one.
    private static func tableFlags(_ colors: [PixelColor]) -> UInt8 {
        UInt8((0..<7).first { 2 << $0 >= colors.count } ?? 7)
    }

    private static func table(_ colors: [PixelColor]) -> [UInt8] {
        let entries = colors.flatMap { [$0.red, $0.green, $0.blue] }
        return entries + Array(repeating: 0, count: (2 << Int(tableFlags(colors))) * 3 - entries.count)
    }

    /// So many pixels of index 0. Each code stands for a pixel more than the one before, until the table is full.
    private static func compressRun(_ count: Int, codeSize: Int) -> [UInt8] {
        var writer = LittleBitWriter()
        let (clear, end) = (1 << codeSize, 1 << codeSize + 1)
        var width = codeSize + 1
        var (next, length, left) = (end + 1, 1, count)
        writer.append(clear, count: width)
        while left > 0 {
            let part = min(length, left)
            writer.append(part == 1 ? 0 : end + part - 1, count: width)
            left -= part
            if left == 0 { break }
            if next == 4096 {
                writer.append(clear, count: width)
                (next, width, length) = (end + 1, codeSize + 1, 1)
            } else {
                if next == 1 << width { width += 1 }
                next += 1
                length += 1
            }
        }
        if next == 1 << width, width < 12 { width += 1 }
        writer.append(end, count: width)
        return writer.bytes
    }

    private static func compress(_ indices: [Int], codeSize: Int) -> [UInt8] {
        var writer = LittleBitWriter()
        let (clear, end) = (1 << codeSize, 1 << codeSize + 1)
        var width = codeSize + 1
        // The code of each known string, by the code of all but its last index, and that index.
        var table: [Int: Int] = [:]
        var next = end + 1
        writer.append(clear, count: width)
        guard var current = indices.first else { return [] }
        for index in indices.dropFirst() {
            if let longer = table[current << 8 | index] {
                current = longer
                continue
            }
            writer.append(current, count: width)
            if next == 4096 {
                writer.append(clear, count: width)
                (table, next, width) = ([:], end + 1, codeSize + 1)
            } else {
                table[current << 8 | index] = next
                // The decoder is one string behind.
                if next == 1 << width { width += 1 }
                next += 1
            }
            current = index
        }
        writer.append(current, count: width)
        // The decoder makes an entry of that code as well.
        if next == 1 << width, width < 12 { width += 1 }
        writer.append(end, count: width)
        return writer.bytes
    }
}

/// Writes bits from the least significant on.
struct LittleBitWriter {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func append(_ bits: Int, count: Int) {
        for index in 0..<count {
            if self.count % 8 == 0 { bytes.append(0) }
            if bits >> index & 1 == 1 { bytes[bytes.count - 1] |= 1 << (self.count % 8) }
            self.count += 1
        }
    }
}

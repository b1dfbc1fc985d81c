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
        var pixel: (_ x: Int, _ y: Int) -> PixelColor

        /// - Parameter pixel: Gets a column and a row of the frame; what has an alpha below 128 is transparent.
        package init(
            left: Int = 0, top: Int = 0, width: Int, height: Int, table: Table = .global, isInterlaced: Bool = false,
            pixel: @escaping (_ x: Int, _ y: Int) -> PixelColor
        ) {
            (self.left, self.top, self.width, self.height) = (left, top, width, height)
            (self.table, self.isInterlaced, self.pixel) = (table, isInterlaced, pixel)
        }
    }

    package static func encode(width: Int, height: Int, frames: [Frame]) -> Data {
        precondition(max(width, height) <= 65_535, "GIF allows 65,535 pixels a side; got \(width) x \(height).")
        let indexed = frames.map { IndexedFrame($0) }
        let global = indexed.first { $0.frame.table == .global }?.colors
        var file = Array("GIF89a".utf8) + little(width) + little(height)
        // The flags with the table's size, the background's index, no aspect ratio.
        file += [global.map { 0xF0 | tableFlags($0) } ?? 0x70, 0, 0] + (global.map(table) ?? [])
        for frame in indexed {
            // Graphics control: flags, a delay of 100 ms, the transparent index.
            let transparent = frame.transparentIndex
            file += [0x21, 0xF9, 4, transparent == nil ? 0 : 1, 10, 0, UInt8(transparent ?? 0), 0]
            file += [0x2C] + little(frame.frame.left) + little(frame.frame.top)
            file += little(frame.frame.width) + little(frame.frame.height)
            let isLocal = frame.frame.table == .local
            file.append((isLocal ? 0x80 | tableFlags(frame.colors) : 0) | (frame.frame.isInterlaced ? 0x40 : 0))
            if isLocal { file += table(frame.colors) }
            let codeSize = max(Int(tableFlags(frame.colors)) + 1, 2)
            file.append(UInt8(codeSize))
            let compressed = compress(frame.indices, codeSize: codeSize)
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

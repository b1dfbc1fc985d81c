package import Foundation

/// Writes lossless WebP files whose pixels are stored rather than compressed: each channel is a prefix code of 8 bits.
///
/// - Source: RFC 9649, sections 2 (container) and 3 (lossless bitstream).
package enum WebPEncoder {
    /// A frame of an animation; both offsets are even.
    package struct Frame {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
        /// In milliseconds.
        var duration: Int
        /// The frame is put over what was there, rather than in its place.
        var isOver: Bool
        /// The frame's place becomes transparent once its time is over.
        var isCleared: Bool
        var pixel: (_ x: Int, _ y: Int) -> PixelColor

        /// - Parameter pixel: Gets a column and a row of the frame.
        package init(
            left: Int = 0, top: Int = 0, width: Int, height: Int, duration: Int = 100, isOver: Bool = true,
            isCleared: Bool = false, pixel: @escaping (_ x: Int, _ y: Int) -> PixelColor
        ) {
            (self.left, self.top, self.width, self.height, self.pixel) = (left, top, width, height, pixel)
            (self.duration, self.isOver, self.isCleared) = (duration, isOver, isCleared)
        }
    }

    /// A still image; with `exif`, in the extended form.
    package static func encode(
        width: Int, height: Int, exif: [UInt8]?, pixel: (_ x: Int, _ y: Int) -> PixelColor
    ) -> Data {
        let image = chunk("VP8L", bitstream(width: width, height: height, pixel: pixel))
        guard let exif else { return file(image) }
        // The flags say: alpha, and EXIF.
        return file(extendedHeader(0x18, width: width, height: height) + image + chunk("EXIF", exif))
    }

    /// An animation.
    ///
    /// - Parameter loops: How often it plays; 0 for ever.
    package static func encode(width: Int, height: Int, loops: Int = 0, frames: [Frame]) -> Data {
        // The flags say: alpha, and animation. A background of opaque white, which viewers may ignore, and ours does.
        var chunks = extendedHeader(0x12, width: width, height: height)
        chunks += chunk("ANIM", [0xFF, 0xFF, 0xFF, 0xFF] + little(loops, 2))
        for frame in frames {
            precondition(frame.left % 2 == 0 && frame.top % 2 == 0, "The offsets of WebP's frames are even.")
            let place = little(frame.left / 2, 3) + little(frame.top / 2, 3)
            let size = little(frame.width - 1, 3) + little(frame.height - 1, 3)
            let image = bitstream(width: frame.width, height: frame.height, pixel: frame.pixel)
            let flags: UInt8 = (frame.isOver ? 0 : 2) | (frame.isCleared ? 1 : 0)
            chunks += chunk("ANMF", place + size + little(frame.duration, 3) + [flags] + chunk("VP8L", image))
        }
        return file(chunks)
    }

    package static func file(_ chunks: [UInt8]) -> Data {
        Data(Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks)
    }

    package static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
    }

    package static func extendedHeader(_ flags: UInt8, width: Int, height: Int) -> [UInt8] {
        chunk("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
    }

    private static func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(value >> ($0 * 8) & 0xFF) }
    }

    /// The lossless bitstream (RFC 9649, section 3).
    package static func bitstream(
        width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> PixelColor
    ) -> [UInt8] {
        precondition(max(width, height) <= 16_384, "WebP allows 16,384 pixels a side; got \(width) x \(height).")
        var writer = LittleBitWriter()
        writer.append(0x2F, count: 8)
        writer.append(width - 1, count: 14)
        writer.append(height - 1, count: 14)
        // Alpha is used; version 0; no transform, no color cache, one group of prefix codes.
        writer.append(1, count: 1)
        writer.append(0, count: 3 + 1 + 1 + 1)
        // Green shares its alphabet with the 24 lengths of repetitions, which have no codes.
        for alphabet in [280, 256, 256, 256] { appendLengths(alphabet, to: &writer) }
        // Distances: a simple code, of the one symbol 0.
        writer.append(1, count: 1)
        writer.append(0, count: 3)
        for y in 0..<height {
            for x in 0..<width {
                let color = pixel(x, y)
                // A canonical code of 8 bits is the value itself, its most significant bit first.
                for channel in [color.green, color.red, color.blue, color.alpha] {
                    writer.append(Int(reversed(channel)), count: 8)
                }
            }
        }
        return writer.bytes
    }

    /// A prefix code in which the first 256 symbols have 8 bits each, and the others none.
    private static func appendLengths(_ alphabet: Int, to writer: inout LittleBitWriter) {
        // Not a simple code; 12 lengths of the code that the lengths are in, in the order of section 3.7.2.1.2: one bit
        // each for the length 0, the third, and for the length 8, the last.
        writer.append(0, count: 1)
        writer.append(12 - 4, count: 4)
        for index in 0..<12 { writer.append(index == 2 || index == 11 ? 1 : 0, count: 3) }
        // All of the alphabet follows.
        writer.append(0, count: 1)
        for symbol in 0..<alphabet { writer.append(symbol < 256 ? 1 : 0, count: 1) }
    }

    private static func reversed(_ byte: UInt8) -> UInt8 {
        (0..<8).reduce(UInt8(0)) { $0 << 1 | byte >> UInt8($1) & 1 }
    }
}

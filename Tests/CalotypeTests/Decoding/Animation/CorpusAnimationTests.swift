#if os(Linux)
import Foundation
import Testing

@testable import Calotype

/// What the corpus's animations are, frame by frame.
///
/// The checksums are those of pixels that agreed with references when they were written down: GIF with Pillow 13.0.0,
/// exactly, but for dispose_bgnd.gif, whose cleared places Pillow fills with the background's colour where browsers leave
/// them transparent; APNG with a composition in floating point by the specification, of frames that Pillow decoded. Pillow's
/// own APNG composition differs from the specification where a frame is restored.
@Suite("The corpus's animations", .enabled(if: ImageFixture.corpus != nil, "shared/corpus isn't beside the package"))
struct CorpusAnimationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var frameCount: Int
        /// 0 is for ever.
        var loopCount: Int
        var duration: Duration
        /// CRC-32 of all frames' pixels, one after another.
        var checksum: UInt32

        init(_ name: String, _ frameCount: Int, loops: Int, milliseconds: Int, _ checksum: UInt32) {
            (self.name, self.frameCount, loopCount, self.checksum) = (name, frameCount, loops, checksum)
            duration = .milliseconds(milliseconds)
        }

        var testDescription: String { name }
    }

    static let rows = [
        Row("anim-apng.png", 6, loops: 0, milliseconds: 240, 0x35d5a454),
        Row("anim-dispose0.gif", 6, loops: 0, milliseconds: 570, 0x5eb9ad9b),
        Row("anim-dispose2.gif", 6, loops: 0, milliseconds: 570, 0x35d5a454),
        Row("anim-dispose3.gif", 6, loops: 0, milliseconds: 570, 0x35d5a454),
        Row("apng-blend_op_over.png", 2, loops: 1, milliseconds: 200, 0x7ad1e02),
        Row("apng-blend_op_source_near_transparent.png", 2, loops: 1, milliseconds: 200, 0xa7eda7e6),
        Row("apng-blend_op_source_solid.png", 2, loops: 1, milliseconds: 200, 0xf8e24756),
        Row("apng-blend_op_source_transparent.png", 2, loops: 1, milliseconds: 200, 0x84c44c8c),
        Row("apng-chunk_actl_after_idat.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-chunk_multi_actl.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-chunk_no_actl.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-chunk_no_fctl.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-chunk_repeat_fctl.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-delay.png", 4, loops: 0, milliseconds: 3_000, 0x70b18a8f),
        Row("apng-delay_short_max.png", 2, loops: 0, milliseconds: 1_500, 0xc1a2dd59),
        Row("apng-delay_zero_denom.png", 2, loops: 0, milliseconds: 1_500, 0xc1a2dd59),
        Row("apng-dispose_op_background_before_region.png", 2, loops: 1, milliseconds: 200, 0x84c44c8c),
        Row("apng-dispose_op_background_final.png", 2, loops: 1, milliseconds: 200, 0xf8e24756),
        Row("apng-dispose_op_none.png", 3, loops: 1, milliseconds: 300, 0xdbf0bc6c),
        Row("apng-dispose_op_none_region.png", 3, loops: 1, milliseconds: 300, 0x58c8d38c),
        Row("apng-dispose_op_previous.png", 3, loops: 1, milliseconds: 300, 0x4ca8de65),
        Row("apng-dispose_op_previous_final.png", 2, loops: 1, milliseconds: 200, 0xf8e24756),
        Row("apng-dispose_op_previous_first.png", 2, loops: 1, milliseconds: 200, 0x84c44c8c),
        Row("apng-dispose_op_previous_frame.png", 3, loops: 0, milliseconds: 300, 0x4c56a6f5),
        Row("apng-dispose_op_previous_region.png", 3, loops: 1, milliseconds: 300, 0x57ad2aa8),
        Row("apng-mode_16bit.png", 2, loops: 1, milliseconds: 1_100, 0xc52dbb7b),
        Row("apng-mode_grayscale.png", 2, loops: 1, milliseconds: 1_100, 0xf1cdc102),
        Row("apng-mode_palette_alpha.png", 2, loops: 1, milliseconds: 1_100, 0x7ad1e02),
        Row("apng-sequence_fdat_fctl.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-sequence_repeat.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-sequence_repeat_chunk.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-split_fdat.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-split_fdat_zero_chunk.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-syntax_num_frames_high.png", 2, loops: 0, milliseconds: 2_000, 0x91ebf604),
        Row("apng-syntax_num_frames_invalid.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("apng-syntax_num_frames_zero_default.png", 1, loops: 1, milliseconds: 0, 0x7d39f77c),
        Row("dispose_bgnd.gif", 5, loops: 0, milliseconds: 5_000, 0x5a7efa7c),
        Row("dispose_bgnd_transparency.gif", 10, loops: 0, milliseconds: 4_400, 0xb1cf94f3),
        Row("dispose_none.gif", 5, loops: 0, milliseconds: 5_000, 0xa49ab7a8),
        Row("dispose_prev.gif", 5, loops: 0, milliseconds: 4_100, 0xd7bf401d),
        Row("duplicate_frame.gif", 3, loops: 0, milliseconds: 3_000, 0x9aa1590f),
        Row("iss634.apng", 41, loops: 0, milliseconds: 2_730, 0xa2c03050),
        Row("iss634.gif", 42, loops: 0, milliseconds: 2_830, 0x87d43980),
        Row("no_palette_after_rgb.gif", 3, loops: 1, milliseconds: 15_000, 0x61f1fe28),
        Row("palette_not_needed_for_second_frame.gif", 2, loops: 1, milliseconds: 10_000, 0x3f02fe70),
    ]

    @Test("each frame is as the references have it; what is no sound animation is its still image", arguments: rows)
    func frames(_ row: Row) throws {
        let image = try ImageDecoders.system.decode(ImageFixture.corpusData(row.name))
        #expect(image.animation?.frameCount ?? 1 == row.frameCount)
        #expect(image.animation?.loopCount ?? 1 == row.loopCount)
        #expect(image.animation?.durations.reduce(.zero, +) ?? .zero == row.duration)
        var checksum = Checksum()
        for index in 0..<row.frameCount {
            let frame = try image.animation?.frame(at: index) ?? image
            frame.bitmap.withUnsafeBytes { checksum.append($0) }
        }
        #expect(checksum.value == row.checksum, "0x\(String(checksum.value, radix: 16))")
    }

    @Test("EXIF in a text chunk turns the image")
    func textualEXIF() throws {
        guard
            case .image(let header) = try ImageHeader.parse(ImageFixture.corpusData("exif_imagemagick_orientation.png"))
        else {
            Issue.record("no image")
            return
        }
        #expect(header.orientation == .down)
    }

    @Test("a bomb in a text chunk costs nothing: text isn't unpacked")
    func textBomb() throws {
        let image = try ImageDecoders.system.decode(ImageFixture.corpusData("png_decompression_dos.png"))
        #expect(image.pixelSize.pixelCount > 0)
    }
}
#endif

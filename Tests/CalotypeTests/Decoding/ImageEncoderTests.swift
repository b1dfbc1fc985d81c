import Foundation
import Testing

@testable import Calotype

@Suite("Encoding")
struct ImageEncoderTests {
    @Test("PNG brings back the pixels")
    func png() throws {
        let opaque = ResizeTests.picture(PixelSize(width: 33, height: 21))
        let data = try ImageEncoder().encoded(DecodedImage(bitmap: opaque), as: .png)
        let result = try ImageDecoders.system.decode(data).bitmap
        result.withUnsafeBytes { bytes in opaque.withUnsafeBytes { #expect(bytes.elementsEqual($0)) } }
        #if os(Linux)
        // Colour type 2: no alpha where none is needed.
        #expect(data[25] == 2)
        #endif
    }

    @Test("PNG's straight alpha is premultiplied again within one step")
    func alpha() throws {
        let source = ResizeTests.picture(PixelSize(width: 80, height: 60), isOpaque: false)
        let data = try ImageEncoder().encoded(DecodedImage(bitmap: source), as: .png)
        let result = try ImageDecoders.system.decode(data).bitmap
        result.withUnsafeBytes { bytes in
            source.withUnsafeBytes { original in
                #expect(zip(bytes, original).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
            }
        }
    }

    @Test("JPEG composes transparent pixels over white, and its quality counts")
    func jpeg() throws {
        let clear = Bitmap(size: PixelSize(width: 16, height: 16)) { _ in }
        let data = try ImageEncoder().encoded(DecodedImage(bitmap: clear), as: .jpeg(quality: 90))
        #expect(try ImageDecoders.system.decode(data).bitmap[8, 8] == (255, 255, 255, 255))
        let picture = DecodedImage(bitmap: ResizeTests.picture(PixelSize(width: 120, height: 90)))
        let sizes = try [-5, 20, 60, 95, 500].map { try ImageEncoder().encoded(picture, as: .jpeg(quality: $0)).count }
        #expect(sizes == sizes.sorted())
    }

    #if os(Linux)
    @Test("a file says which colours it is in: sRGB by PNG's chunk, Display P3 by a profile")
    func colorSpace() throws {
        let bitmap = ResizeTests.picture(PixelSize(width: 20, height: 10))
        let encoder = ImageEncoder()
        let standard = DecodedImage(bitmap: bitmap)
        let wide = DecodedImage(bitmap: bitmap, colorSpace: .displayP3)

        let png = try EncodedFile.pngChunks(encoder.encoded(standard, as: .png))
        #expect(png["sRGB"] == [0])
        #expect(png["iCCP"] == nil)
        #expect(try EncodedFile.profile(ofJPEG: encoder.encoded(standard, as: .jpeg(quality: 80))) == nil)

        let widePNG = try encoder.encoded(wide, as: .png)
        let chunks = EncodedFile.pngChunks(widePNG)
        #expect(chunks["sRGB"] == nil)
        let pngProfile = try #require(chunks["iCCP"].flatMap(EncodedFile.profile(ofChunk:)))
        let jpegProfile = try #require(
            try EncodedFile.profile(ofJPEG: encoder.encoded(wide, as: .jpeg(quality: 80))))
        #expect(pngProfile == jpegProfile)
        #expect(pngProfile.count < 1000)
        #expect(try encoder.encoded(wide, as: .png) == widePNG, "the same bytes each time")

        // What is read back is Display P3, of which not a byte has to be converted.
        let conversion = try #require(
            ColorConversion(.profile(pngProfile), to: .displayP3, limits: ImageLimits()))
        #expect(conversion.result == .displayP3)
        let original: [UInt8] = [200, 100, 50, 255, 12, 20, 40, 255]
        var row = original
        row.convert(by: conversion)
        #expect(row == original)
    }

    @Test("a side that JPEG can't hold is refused")
    func tooLarge() {
        let wide = DecodedImage(bitmap: Bitmap(size: PixelSize(width: 70_000, height: 1)) { _ in })
        guard
            case .limitExceeded(.jpeg, _)? = imageErrorReason({
                _ = try ImageEncoder().encoded(wide, as: .jpeg(quality: 80))
            })
        else {
            Issue.record("encoded")
            return
        }
    }
    #endif
}

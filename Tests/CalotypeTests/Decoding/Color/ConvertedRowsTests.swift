#if canImport(CCodecs)
import CalotypeTesting
import Testing

@testable import Calotype

@Suite("Rows on their way to a bitmap")
struct ConvertedRowsTests {
    static let sizes = [
        PixelSize(width: 60, height: 40), PixelSize(width: 13, height: 9), PixelSize(width: 4, height: 3),
    ]

    @Test(
        "pixels are converted once, after the resize, whichever way the rows go", arguments: sizes,
        [ImageOrientation.up, .right, .downMirrored])
    func resizer(target: PixelSize, orientation: ImageOrientation) throws {
        let conversion = try #require(
            ColorConversion(.profile(TestProfiles.rgb(.displayP3, .parametric)), to: .sRGB, limits: ImageLimits()))
        let picture = ResizeTests.picture(PixelSize(width: 60, height: 40), isOpaque: false)
        let plain = resized(picture, to: target, orientation, nil)
        var expected = plain.withUnsafeBytes { [UInt8]($0) }
        expected.convert(by: conversion)
        let converted = resized(picture, to: target, orientation, conversion)
        #expect(converted.withUnsafeBytes { [UInt8]($0) } == expected)
        #expect(plain.withUnsafeBytes { [UInt8]($0) } != expected)
    }

    @Test("a row that is written to its place is converted there, and no other")
    func directRow() throws {
        let conversion = try #require(ColorConversion(SourceColor(model: .cmyk), to: .sRGB, limits: ImageLimits()))
        let bitmap = Bitmap(size: PixelSize(width: 2, height: 2)) { buffer in
            let placement = RowPlacement(
                buffer, storedSize: PixelSize(width: 2, height: 2), orientation: .up, conversion: conversion)
            placement.directRow(1)?.update(from: [255, 0, 0, 0, 0, 0, 0, 255], count: 8)
            placement.finishDirectRow(1)
        }
        #expect(bitmap[0, 0] == (0, 0, 0, 0))
        #expect(bitmap[0, 1] == (0, 255, 255, 255))
        #expect(bitmap[1, 1] == (0, 0, 0, 255))
    }

    private func resized(
        _ picture: Bitmap, to target: PixelSize, _ orientation: ImageOrientation, _ conversion: ColorConversion?
    ) -> Bitmap {
        picture.withUnsafeBytes { pixels in
            let rows = pixels.baseAddress!.assumingMemoryBound(to: UInt8.self)
            return Bitmap(size: orientation.applied(to: target)) { buffer in
                let resizer = RowResizer(
                    source: picture.size, isOpaque: false,
                    placement: RowPlacement(
                        buffer, storedSize: target, orientation: orientation, conversion: conversion))
                for y in 0..<picture.size.height { resizer.append(rows + y * picture.bytesPerRow) }
            }
        }
    }
}
#endif

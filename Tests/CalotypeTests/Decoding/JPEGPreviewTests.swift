#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Previews of JPEG that is still arriving")
struct JPEGPreviewTests {
    /// Previews of a file that arrives in such pieces, each with the number of bytes that had come.
    private static func previews(
        of data: Data, pieceByteCount: Int, options: DecodeOptions = DecodeOptions()
    ) throws -> [(byteCount: Int, image: DecodedImage)] {
        let decoding = try #require(SystemImageDecoder().progressiveDecoding(format: .jpeg, options: options))
        var previews: [(Int, DecodedImage)] = []
        for start in stride(from: 0, to: data.count, by: pieceByteCount) {
            let end = min(start + pieceByteCount, data.count)
            // A slice whose indices don't begin with 0, as a body's parts are.
            try decoding.append(data[start..<end])
            while let image = try decoding.preview() { previews.append((end, image)) }
        }
        return previews
    }

    private static func options(width: Int, limits: ImageLimits = ImageLimits()) -> DecodeOptions {
        DecodeOptions(target: .fit(width: width, height: nil), limits: limits)
    }

    // MARK: Scans

    @Test(
        "a progressive file is shown whole after each scan with new frequencies, better each time",
        arguments: [300, 90])
    func scans(_ width: Int) throws {
        let data = try JPEGFixture.progressive()
        let previews = try Self.previews(of: data, pieceByteCount: 500, options: Self.options(width: width))
        let final = try JPEGFixture.decode(data, width: width)
        let scans = try JPEGFixture.scans(data).filter { !$0.isRefinement }
        #expect(previews.count == scans.count)
        var best = 0.0
        for (preview, scan) in zip(previews, scans) {
            // Once the header of the next scan has come.
            #expect((scan.range.upperBound..<scan.range.upperBound + 1_000).contains(preview.byteCount))
            #expect(preview.image.originalPixelSize == PixelSize(width: 600, height: 400))
            let comparison = PixelComparison(preview.image.bitmap, final)
            #expect(comparison.psnr > best, "\(comparison)")
            best = comparison.psnr
        }
        #expect(best >= 35)
    }

    @Test("at 1/8, scans that it doesn't read bring no preview")
    func eighth() throws {
        let data = try JPEGFixture.progressive()
        let previews = try Self.previews(of: data, pieceByteCount: 500, options: Self.options(width: 20))
        #expect(previews.count == 1)
        let quality = PixelComparison(
            try #require(previews.first).image.bitmap, try JPEGFixture.decode(data, width: 20))
        #expect(quality.psnr >= 35, "\(quality)")
    }

    @Test("bytes that come one by one give the same previews as larger pieces")
    func pieces() throws {
        for name in ["progressive.jpg", "orientation-6.jpg"] {
            let data = try ImageFixture.data(name)
            let single = try Self.previews(of: data, pieceByteCount: 1)
            let last = try #require(single.last).image.bitmap
            let whole = try #require(try Self.previews(of: data, pieceByteCount: data.count).last)
            #expect(PixelComparison(last, whole.image.bitmap).isWithin(.exact), "\(name)")
            #expect(Hue.corners(of: last) == [.red, .green, .blue, .white], "\(name)")
        }
    }

    @Test("inks are shown as the colours that they will be")
    func inks() throws {
        let data = try ImageFixture.data("cmyk-adobe.jpg")
        let preview = try #require(try Self.previews(of: data, pieceByteCount: 100).last).image
        #expect(PixelComparison(preview.bitmap, try JPEGFixture.decode(data)).isWithin(.exact))
    }

    // MARK: Rows

    @Test("a baseline file is shown as far as its rows have come, with nothing below", arguments: [600, 240, 60])
    func rows(_ width: Int) throws {
        let data = try JPEGFixture.baseline()
        let previews = try Self.previews(of: data, pieceByteCount: 400, options: Self.options(width: width))
        let final = try JPEGFixture.decode(data, width: width)
        #expect((7...9).contains(previews.count))
        var shownCount = 0
        for (_, image) in previews {
            let bitmap = image.bitmap
            #expect(bitmap.size == final.size)
            let count = (0..<bitmap.size.height).first { bitmap[0, $0].alpha == 0 } ?? bitmap.size.height
            #expect(count > shownCount || count == bitmap.size.height)
            shownCount = count
            for y in 0..<bitmap.size.height {
                for x in stride(from: 0, to: bitmap.size.width, by: 7) {
                    #expect(bitmap.pixel(x, y) == (y < count ? final.pixel(x, y) : .clear))
                }
            }
        }
        #expect(shownCount == final.size.height)
    }

    @Test("rows are turned as the image is")
    func turnedRows() throws {
        let data = TestImages.quadrantJPEG(width: 320, height: 320, orientation: 6)
        let first = try #require(try Self.previews(of: data, pieceByteCount: 200).first).image.bitmap
        // The stored rows are columns from the right.
        #expect(Hue(first[319, 10]) == .green)
        #expect(Hue(first[319, 300]) == .white)
        #expect(first.pixel(10, 10) == .clear)
    }

    // MARK: Thumbnails

    /// The TIFF structure of an EXIF segment with a thumbnail.
    private static func exif(_ thumbnail: Data) -> [UInt8] {
        func entry(_ tag: UInt8, _ value: Int) -> [UInt8] {
            [2, tag, 0, 4, 0, 0, 0, 1, 0, 0, UInt8(value >> 8), UInt8(value & 255)]
        }
        let first: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 0, 0, 0, 0, 14]
        let second: [UInt8] = [0, 2] + entry(1, 14 + 2 + 24 + 4) + entry(2, thumbnail.count) + [0, 0, 0, 0]
        return Array("Exif\0\0".utf8) + first + second + thumbnail
    }

    @Test("the camera's thumbnail comes first, if its aspect is the image's")
    func thumbnail() throws {
        let data = try JPEGFixture.progressive()
        let scan = try #require(JPEGFixture.scans(data).first)
        for (size, isShown) in [
            (PixelSize(width: 96, height: 64), true), (PixelSize(width: 160, height: 106), true),
            (PixelSize(width: 160, height: 120), false), (PixelSize(width: 30, height: 20), false),
        ] {
            let thumbnail = TestImages.quadrantJPEG(width: size.width, height: size.height)
            let segment = (code: UInt8(0xE1), content: Self.exif(thumbnail))
            let marked = JPEGFixture.inserting([segment], into: data)
            let previews = try Self.previews(of: marked, pieceByteCount: 300, options: Self.options(width: 300))
            #expect(previews.count == (isShown ? 6 : 5), "\(size)")
            guard isShown, let first = previews.first else { continue }
            #expect(first.byteCount < scan.range.upperBound + marked.count - data.count)
            #expect(first.image.pixelSize == PixelSize(width: 300, height: 200))
            #expect(first.image.originalPixelSize == PixelSize(width: 600, height: 400))
            #expect(Hue.corners(of: first.image.bitmap) == [.red, .green, .blue, .white])
        }
    }

    @Test("a thumbnail that can't be decoded is passed over, and so is one that comes with a scan")
    func noThumbnail() throws {
        let data = try JPEGFixture.progressive()
        let thumbnail = TestImages.quadrantJPEG(width: 96, height: 64)
        var damaged = thumbnail
        damaged[damaged.count / 2] = 0xFF
        damaged[damaged.count / 2 + 1] = 0xD9
        for (thumbnail, pieceByteCount) in [(damaged, 300), (thumbnail.prefix(40), 300), (thumbnail, 30_000)] {
            let marked = JPEGFixture.inserting([(0xE1, Self.exif(thumbnail))], into: data)
            let previews = try Self.previews(
                of: marked, pieceByteCount: pieceByteCount, options: Self.options(width: 300))
            let first = try #require(previews.first).image.bitmap
            #expect(Hue.corners(of: first) != [.red, .green, .blue, .white])
        }
    }

    // MARK: Bounds

    @Test("limits hold for what has arrived")
    func limits() throws {
        let data = try JPEGFixture.progressive()
        func reason(_ limits: ImageLimits) -> ImageError.Reason? {
            imageErrorReason {
                _ = try Self.previews(
                    of: data, pieceByteCount: 4_000, options: Self.options(width: 300, limits: limits))
            }
        }
        #expect(reason(ImageLimits()) == nil)
        #expect(reason(ImageLimits(bodyByteCount: 30_000)) == .bodyTooLarge(byteCount: 32_000, limit: 30_000))
        #expect(
            reason(ImageLimits(pixelCount: 239_999))
                == .tooManyPixels(PixelSize(width: 600, height: 400), limit: 239_999))
        #expect(reason(ImageLimits(scanCount: 3)) == .limitExceeded(.jpeg, detail: "more than 3 scans"))
        guard case .limitExceeded? = reason(ImageLimits(decodeTime: .zero)) else {
            Issue.record("the time limit was not checked")
            return
        }
    }

    @Test("nothing more is decoded once nobody waits")
    func cancelled() throws {
        for data in [try JPEGFixture.progressive(), try JPEGFixture.baseline()] {
            let options = Self.options(width: 300)
            let decoding = try #require(SystemImageDecoder().progressiveDecoding(format: .jpeg, options: options))
            try decoding.append(data.prefix(30_000))
            #expect(try decoding.preview() != nil)
            try decoding.append(data.dropFirst(30_000))
            options.cancellation.cancel()
            #expect(throws: CancellationError.self) { try decoding.preview() }
        }
    }

    @Test("results of more than 16 megapixels have no previews")
    func large() throws {
        let data = try ImageFixture.data("claims-9000-progressive.jpg")
        #expect(try Self.previews(of: data, pieceByteCount: 100).isEmpty)
    }

    @Test("mutations give previews or typed errors, never a crash", arguments: [37, 5_000])
    func mutations(_ pieceByteCount: Int) throws {
        var generator = SeededGenerator(seed: UInt64(pieceByteCount))
        let limits = ImageLimits(pixelCount: 1_000_000)
        let thumbnail = TestImages.quadrantJPEG(width: 32, height: 24)
        let marked = JPEGFixture.inserting(
            [(0xE1, Self.exif(thumbnail))], into: try ImageFixture.data("progressive.jpg"))
        for data in [marked, try ImageFixture.data("orientation-6.jpg"), try ImageFixture.data("cmyk-adobe.jpg")] {
            for _ in 0..<100 {
                do {
                    for preview in try Self.previews(
                        of: data.mutated(using: &generator), pieceByteCount: pieceByteCount,
                        options: Self.options(width: 40, limits: limits))
                    {
                        let image = preview.image
                        #expect(
                            image.pixelSize == Self.options(width: 40).target.pixelSize(for: image.originalPixelSize))
                    }
                } catch let error as ImageError {
                    #expect(error.stage == .decoding)
                }
            }
        }
    }
}
#endif

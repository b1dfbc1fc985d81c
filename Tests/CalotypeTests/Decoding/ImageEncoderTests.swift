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

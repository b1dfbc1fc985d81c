import Foundation
import Testing

@testable import Calotype

@Suite("The sizes that image servers are asked for")
struct ThumbnailSizeTests {
    typealias Size = ServerThumbnails.Size

    static let steps: [(target: PixelTarget, size: Size?)] = [
        (.fit(width: 257, height: 100), Size(width: 288, height: 104, mode: .fit)),
        (.fit(width: 288, height: 104), Size(width: 288, height: 104, mode: .fit)),
        (.fill(width: 289, height: 513), Size(width: 320, height: 576, mode: .fill)),
        (.fill(width: 8, height: 9), Size(width: 8, height: 9, mode: .fill)),
        (.fill(width: 0, height: 17), Size(width: 1, height: 18, mode: .fill)),
        (.fill(width: 300, height: nil), Size(width: 320, height: nil, mode: .fit)),
        // No limit at all, and sides that are none.
        (.original, nil), (.fit(width: nil, height: nil), nil), (.fill(width: .max, height: 100), nil),
        (.fit(width: .max, height: 100), Size(width: nil, height: 104, mode: .fit)),
        (.fit(width: .max, height: 9_000), nil),
    ]

    @Test("the next of eight steps between each power of two and the next", arguments: steps)
    func step(_ target: PixelTarget, _ size: Size?) {
        #expect(Size(target) == size)
    }

    @Test("a step is never less than what it is for, nor more than an eighth more")
    func bounds() throws {
        for side in 9...8_192 {
            let step = try #require(Size(.fit(width: side, height: nil))?.width)
            #expect(step >= side && step * 8 <= side * 9 + 8)
        }
        let sizes = Set((513...1_024).compactMap { Size(.fit(width: $0, height: nil))?.width })
        #expect(sizes.count == 8)
    }

    @Test(
        "what fits into the box in place of one to cover, covers it, if the picture is between 16:9 and 9:16",
        arguments: [(320, 320), (320, 100), (100, 320), (288, 216)])
    func box(_ width: Int, _ height: Int) {
        let box = Size(width: width, height: height, mode: .fill).boxToFit
        #expect(box.mode == .fit)
        for (x, y) in [(16, 9), (3, 2), (4, 3), (1, 1), (3, 4), (9, 16)] {
            let original = PixelSize(width: x * 1_000, height: y * 1_000)
            let made = box.target.pixelSize(for: original)
            #expect(made.width >= width && made.height >= height)
        }
        let panorama = PixelSize(width: 10_000, height: 1_000)
        let thumbnail = ServerThumbnail(size: box)
        let made = box.target.pixelSize(for: panorama)
        #expect(thumbnail.fallsShort(made, of: .fill(width: width, height: height)) == (made.height < height - 1))
    }

    @Test("a file as large as what was asked for has been made smaller; one that is smaller is all there is")
    func reduction() {
        let fit = ServerThumbnail(size: Size(width: 320, height: 240, mode: .fit))
        #expect(fit.isReduced(PixelSize(width: 320, height: 100)))
        #expect(fit.isReduced(PixelSize(width: 100, height: 239)))
        #expect(!fit.isReduced(PixelSize(width: 300, height: 200)))
        let fill = ServerThumbnail(size: Size(width: 320, height: 240, mode: .fill))
        #expect(fill.isReduced(PixelSize(width: 320, height: 500)))
        #expect(!fill.isReduced(PixelSize(width: 2_000, height: 100)))
        #expect(!fill.isReduced(PixelSize(width: 300, height: 500)))
    }
}

extension ServerThumbnail {
    /// Of nothing in particular.
    fileprivate convenience init(size: ServerThumbnails.Size) {
        let url = URL(filePath: "/")
        self.init(url: url, size: size, of: ImageRequest(url: url))
    }
}

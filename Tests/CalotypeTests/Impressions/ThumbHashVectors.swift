import CalotypeTesting
import Foundation
import Testing

/// A hash that another implementation has published, with what it makes of it.
struct ThumbHashVector: CustomTestStringConvertible {
    var testDescription: String
    var hash: [UInt8]
    var aspectRatio: Double
    var averageColor: [Float]
    /// The size that the format proposes, and pixels at the left edge, in the middle and at the right edge of the top,
    /// the middle and the bottom row; not premultiplied, cut off to 8 bits rather than rounded.
    var pixels: (width: Int, height: Int, colors: [PixelColor])?

    /// - Source: the first two are of jzebedee/ThumbHash (test/ThumbHash.Tests/ThumbHashTests.cs), the others of
    ///   mauke/Image-ThumbHash (t/data/pngified.txt), both on GitHub.
    static let all = [
        ThumbHashVector(
            testDescription: "a flower, portrait",
            hash: [147, 74, 6, 45, 6, 146, 86, 195, 116, 5, 88, 103, 218, 138, 182, 103, 148, 144, 81, 7, 25],
            aspectRatio: 0.714285731, averageColor: [0.484127015, 0.341269821, 0.0793650597, 1]),
        ThumbHashVector(
            testDescription: "a penguin, portrait, with alpha",
            hash: [
                0xa1, 0x19, 0x8a, 0x1c, 0x02, 0x38, 0x3a, 0x25, 0xd7, 0x27, 0xf6, 0x8b, 0x97, 0x1f, 0xf7, 0xf9, 0x71,
                0x7f, 0x80, 0x37, 0x67, 0x58, 0x98, 0x79, 0x06,
            ],
            aspectRatio: 0.800000011, averageColor: [0.616402208, 0.568783104, 0.386243373, 0.533333361]),
        ThumbHashVector(
            testDescription: "a mountain, 7 by 5", hash: base64("3OcRJYB4d3h/iIeHeEh3eIhw+j3A"), aspectRatio: 1.4,
            averageColor: [0.415343915, 0.462962963, 0.455026455, 1],
            pixels: (
                32, 23,
                [
                    .init(124, 136, 159), .init(128, 140, 168), .init(124, 136, 159), .init(90, 102, 108),
                    .init(112, 124, 139), .init(88, 100, 112), .init(90, 103, 39), .init(93, 105, 52),
                    .init(86, 99, 46),
                ]
            )),
        ThumbHashVector(
            testDescription: "a field, 7 by 4", hash: base64("2fcZFIB3iId/h3iJh4aIYJ2V8g=="), aspectRatio: 1.75,
            averageColor: [0.383597884, 0.399470899, 0.407407407, 1],
            pixels: (
                32, 18,
                [
                    .init(200, 204, 213), .init(226, 230, 239), .init(189, 193, 196), .init(56, 61, 72),
                    .init(60, 64, 81), .init(89, 94, 109), .init(58, 62, 22), .init(50, 54, 23), .init(41, 45, 16),
                ]
            )),
        ThumbHashVector(
            testDescription: "a logo, square, with alpha", hash: base64("YJqGPQw7sFltlqhFafSE+Q6oJ1h2iHB2Rw=="),
            aspectRatio: 1, averageColor: [0.759259259, 0.457671958, 0.306878307, 0.733333333],
            pixels: (
                32, 32,
                [
                    .init(231, 77, 54, 0), .init(115, 134, 136, 69), .init(194, 170, 25, 0), .init(233, 60, 45, 159),
                    .init(107, 102, 109, 255), .init(231, 179, 37, 148), .init(255, 31, 7, 0),
                    .init(182, 79, 75, 133), .init(255, 134, 0, 0),
                ]
            )),
    ]

    private static func base64(_ text: String) -> [UInt8] { Data(base64Encoded: text).map(Array.init) ?? [] }
}

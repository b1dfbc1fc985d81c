#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

/// JPEG files that the tests of JPEG share.
enum JPEGFixture {
    /// A photograph of 600 x 400 pixels, progressive at 4:2:0, quality 90, in the ten scans that libjpeg writes.
    static func progressive() throws -> Data {
        try Data(contentsOf: #require(Bundle.module.url(forResource: "Fixtures/coffee", withExtension: "jpg")))
    }

    /// The same photograph in one scan.
    static func baseline() throws -> Data {
        try ImageEncoder().encoded(ImageDecoders.system.decode(progressive()), as: .jpeg(quality: 90))
    }

    static func decode(
        _ data: Data, width: Int? = nil, quality: ResizeQuality = .balanced, limits: ImageLimits = ImageLimits()
    ) throws -> Bitmap {
        let options = DecodeOptions(target: .fit(width: width, height: nil), quality: quality, limits: limits)
        return try ImageDecoders.system.decode(data, options: options).bitmap
    }

    /// The scans of a whole file.
    static func scans(_ data: Data) throws -> [JPEGScan] {
        try #require(data.withUnsafeBytes { JPEGScan.all(in: ByteReader($0), limit: 100, check: {}) })
    }

    /// The file with segments between its start and what follows.
    static func inserting(_ segments: [(code: UInt8, content: [UInt8])], into data: Data, at offset: Int = 2) -> Data {
        var data = data
        let bytes = segments.flatMap { segment in
            let length = segment.content.count + 2
            return [0xFF, segment.code, UInt8(length >> 8), UInt8(length & 0xFF)] + segment.content
        }
        data.insert(contentsOf: bytes, at: offset)
        return data
    }
}
#endif

#if os(Linux)
import Foundation
import Testing

@testable import Calotype

@Suite("Profiles of the corpus", .enabled(if: ImageFixture.corpus != nil, "shared/corpus isn't beside the package"))
struct ColorCorpusTests {
    @Test(
        "swatches become the colours that the manifest expects",
        arguments: [
            ("icc-display-p3-swatch.png", [128, 128, 128] as [UInt8]), ("icc-adobe-rgb-swatch.png", [129, 129, 129]),
        ])
    func swatches(name: String, gray: [UInt8]) throws {
        let chunk = try #require(EncodedFile.pngChunks(ImageFixture.corpusData(name))["iCCP"])
        let profile = try #require(EncodedFile.profile(ofChunk: chunk))
        let conversion = try #require(ColorConversion(.profile(profile), to: .sRGB, limits: ImageLimits()))
        var row: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 255, 128, 128, 128, 255]
        row.convert(by: conversion)
        #expect(row == [255, 0, 0, 255, 0, 255, 0, 255] + gray + [255])
        let wide = try #require(ColorConversion(.profile(profile), to: .displayP3, limits: ImageLimits()))
        #expect(wide.result == .displayP3)
    }
}
#endif

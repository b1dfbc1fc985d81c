import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("HDR")
struct ToneCurveTests {
    @Test(
        "grays of PQ and HLG become those that the documented curve gives",
        arguments: [
            (
                SourceColor.Transfer.pq,
                [(UInt8(0), UInt8(0)), (60, 39), (100, 107), (120, 157), (148, 225), (192, 255)]
            ),
            (.hlg, [(0, 0), (60, 57), (100, 104), (140, 153), (192, 226), (255, 255)]),
        ])
    func grays(transfer: SourceColor.Transfer, values: [(UInt8, UInt8)]) throws {
        for model in [SourceColor.Model.rgb, .gray] {
            let source = SourceColor(model: model, encoding: .coded(primaries: .bt2020, transfer: transfer))
            let conversion = try #require(ColorConversion(source, to: .sRGB, limits: ImageLimits()))
            #expect(conversion.isToneMapped)
            for (value, expected) in values {
                var row: [UInt8] = [value, value, value, 255]
                row.convert(by: conversion)
                #expect(abs(Int(row[1]) - Int(expected)) <= 1, "\(value) became \(row), not \(expected)")
                #expect(row[0] == row[1] && row[1] == row[2])
            }
        }
    }

    @Test("brighter never becomes darker", arguments: [SourceColor.Transfer.pq, .hlg])
    func monotonic(transfer: SourceColor.Transfer) throws {
        let source = SourceColor(encoding: .coded(primaries: .bt2020, transfer: transfer))
        let conversion = try #require(ColorConversion(source, to: .displayP3, limits: ImageLimits()))
        #expect(conversion.result == .displayP3)
        var row: [UInt8] = (UInt8.min...UInt8.max).flatMap { value -> [UInt8] in [value, value, value, 255] }
        row.convert(by: conversion)
        let greens = stride(from: 1, to: row.count, by: 4).map { row[$0] }
        #expect(greens == greens.sorted())
        #expect(greens.first == 0 && greens.last == 255)
    }

    @Test("the curve meets the straight line without a bend, and ends at white")
    func curve() {
        #expect(ToneCurve.value(at: 0.25) == 0.25)
        #expect(ToneCurve.value(at: ToneCurve.peak) == 1)
        #expect(ToneCurve.value(at: 50) == 1)
        #expect(abs(ToneCurve.value(at: ToneCurve.peak * 0.999) - 1) < 0.001)
        let step = ToneCurve.value(at: 0.501) - ToneCurve.value(at: 0.5)
        #expect(abs(step - 0.001) < 0.000_05)
    }

    #if os(Linux)
    @Test("a PNG whose cICP says HDR is tone-mapped, and so is each frame of an animated one", arguments: [16, 18, 13])
    func codePoints(_ transfer: UInt8) throws {
        let frame = PNGEncoder.Frame(width: 4, height: 2) { _, _ in PixelColor(148, 148, 148) }
        let image = try ImageDecoders.system.decode(
            PNGEncoder.file([
                PNGEncoder.header(width: 4, height: 2, bitDepth: 8, colorType: 6),
                .init("cICP", [9, transfer, 0, 1]),
                // Two frames, for ever.
                .init("acTL", [0, 0, 0, 2, 0, 0, 0, 0]),
                frame.control(0), .init("IDAT", frame.stream),
                frame.control(1), .init("fdAT", [0, 0, 0, 2] + frame.stream),
            ]))
        let isHDR = transfer != 13
        let frames = try (0..<2).map { try #require(image.animation).frame(at: $0) }
        for image in [image] + frames {
            #expect(image.isToneMapped == isHDR)
            if transfer == 16 { #expect(abs(Int(image.bitmap[1, 1].green) - 225) <= 1) }
        }
    }
    #endif

    @Test("the light of a value is found again")
    func inverse() {
        for light in [0, 0.1, 0.5, 0.501, 1, 2, 4, Double(ToneCurve.peak)] {
            let value = Double(ToneCurve.value(at: Float(light)))
            #expect(abs(ToneCurve.light(of: value) - light) < 0.001 * max(light, 1), "\(light)")
        }
    }

    @Test("compressed PQ has a byte for each step of the screen, grays stay as they are, and it counts as tone-mapped")
    func compressedPQ() throws {
        #expect(Set(ToneCurve.bytesOfPQ).count == 256)
        #expect(ToneCurve.bytesOfPQ == ToneCurve.bytesOfPQ.sorted())
        for model in [SourceColor.Model.rgb, .gray] {
            for primaries in [SourceColor.Chromaticities.sRGB, .bt2020, .displayP3] {
                let source = SourceColor(model: model, encoding: .coded(primaries: primaries, transfer: .pq)).inBytes
                let conversion = try #require(ColorConversion(source, to: .sRGB, limits: ImageLimits()))
                #expect(conversion.isToneMapped)
                for value in UInt8.min...UInt8.max {
                    var row: [UInt8] = [value, value, value, 255]
                    row.convert(by: conversion)
                    #expect(row.prefix(3).allSatisfy { abs(Int($0) - Int(value)) <= 1 }, "\(value) became \(row)")
                }
            }
        }
    }

    @Test("a colour becomes the same through compressed PQ as from PQ itself")
    func compressedHue() throws {
        for samples in [[0.55, 0.3, 0.4], [0.2, 0.25, 0.1], [0.7, 0.5, 0.6]] {
            let light = samples.map { SourceColor.Transfer.pq.light(of: $0) }
            let brightest = light.max() ?? 0
            let scale = Double(ToneCurve.value(at: Float(brightest))) / brightest
            let expected = light.map { Int(ScreenCurve.byte($0 * scale)) }
            let source = SourceColor(encoding: .coded(primaries: .sRGB, transfer: .compressedPQ))
            let conversion = try #require(ColorConversion(source, to: .sRGB, limits: ImageLimits()))
            var row = samples.map { ToneCurve.bytesOfPQ[Int(($0 * 4095).rounded())] } + [255]
            row.convert(by: conversion)
            #expect(zip(row, expected).allSatisfy { abs(Int($0) - $1) <= 3 }, "\(row), not \(expected)")
        }
    }

    @Test("a colour of HDR keeps its hue: the others shrink as the brightest does")
    func hue() throws {
        let source = SourceColor(encoding: .coded(primaries: .sRGB, transfer: .pq))
        let conversion = try #require(ColorConversion(source, to: .sRGB, limits: ImageLimits()))
        var row: [UInt8] = [180, 140, 100, 255]
        row.convert(by: conversion)
        let light = row.map { SourceColor.Transfer.sRGB.light(of: Double($0) / 255) }
        let original = [180.0, 140, 100].map { SourceColor.Transfer.pq.light(of: $0 / 255) }
        #expect(abs(light[1] / light[0] - original[1] / original[0]) < 0.01)
        #expect(abs(light[2] / light[0] - original[2] / original[0]) < 0.01)
    }
}

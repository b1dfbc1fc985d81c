import Calotype
import Foundation

/// What is fuzzed: each format's decoder, and each parser of our own that reads what a server sent or a disk kept.
enum FuzzTarget: String, CaseIterable {
    case jpeg, png, gif, webp, avif, heic, jxl
    /// Colour profiles.
    case profile
    /// The sniffer, and the headers of all formats.
    case header
    /// Cache-Control, dates, ranges, Retry-After, Vary.
    case fields
    /// What a store keeps of a response.
    case head
    case url
    case thumbhash

    /// The one that the environment names.
    static let chosen: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["CALOTYPE_FUZZ_TARGET"] ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            FileHandle.standardError.write(Data("CALOTYPE_FUZZ_TARGET has to be one of \(names).\n".utf8))
            exit(2)
        }
        return target
    }()

    func run(_ input: Data) {
        switch self {
        case .jpeg: DecoderFuzz.run(input, .jpeg)
        case .png: DecoderFuzz.run(input, .png)
        case .gif: DecoderFuzz.run(input, .gif)
        case .webp: DecoderFuzz.run(input, .webP)
        case .avif: DecoderFuzz.run(input, .avif)
        case .heic: DecoderFuzz.run(input, .heic)
        case .jxl: DecoderFuzz.run(input, .jpegXL)
        case .profile: ProfileFuzz.run(input)
        case .header: ParserFuzz.header(input)
        case .fields: ParserFuzz.fields(input)
        case .head: ParserFuzz.head(input)
        case .url: ParserFuzz.url(input)
        case .thumbhash: ParserFuzz.thumbHash(input)
        }
    }
}

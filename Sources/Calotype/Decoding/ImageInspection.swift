package import Foundation

/// What an image file says of itself, read from its headers without a decode: for tools.
package struct ImageInspection: Sendable {
    /// Format, size and orientation.
    package let header: ImageHeader
    /// The size of the pixels as they are stored, before they are turned; `nil` where the header doesn't tell.
    package let storedSize: PixelSize?
    /// What the file says of its colours, in words; `nil` where it says nothing, or isn't asked: then it is taken for sRGB.
    package let color: String?
    /// How many scans a JPEG has; `nil` for other formats, and where the file doesn't come to an orderly end.
    package let scanCount: Int?
    /// Whether a JPEG comes as a whole that grows finer.
    package let isProgressive: Bool
    /// Whether the file visibly lacks its end.
    package let isCutOff: Bool

    /// Reads the headers.
    ///
    /// - Throws: ``ImageError`` of stage `decoding`: no image, or not enough of one to tell.
    package init(_ data: Data, limits: ImageLimits = ImageLimits()) throws {
        switch ImageHeader.parse(data) {
        case .notAnImage: throw ImageError(.decoding, .notAnImage)
        case .needsMoreBytes:
            guard case .format(let format) = data.withUnsafeBytes({ Signature.find(in: ByteReader($0)) }) else {
                throw ImageError(.decoding, .notAnImage)
            }
            throw ImageError(.decoding, .incomplete(format))
        case .image(let header): self.header = header
        }
        storedSize = header.pixelSize.map(header.orientation.applied)
        isCutOff = ImageHeader.isCutOff(data, format: header.format)
        let format = header.format
        let (color, scans, isProgressive) = data.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            switch format {
            case .jpeg:
                let profile = JPEGMetadata(reader).profile(limit: limits.profileByteCount)
                // Nobody waits for a tool's look at a file: there is nothing to check for.
                let scans = JPEGScan.all(in: reader, limit: limits.scanCount) {}
                return (profile.map(SourceColor.Encoding.profile), scans?.count, JPEGSegments.isProgressive(reader))
            case .png:
                return (SourceColor(png: reader, isGray: false, limits: limits).encoding, nil, false)
            case .webP:
                return (SourceColor(webP: reader, limits: limits).encoding, nil, false)
            default:
                return (SourceColor.Encoding?.none, Int?.none, false)
            }
        }
        self.color = color?.words
        scanCount = scans
        self.isProgressive = isProgressive
    }
}

extension JPEGSegments {
    /// Whether the frame header says that the file is progressive.
    ///
    /// - Source: ISO/IEC 10918-1, table B.1.
    fileprivate static func isProgressive(_ reader: ByteReader) -> Bool {
        var segments = JPEGSegments(reader)
        while case .segment(let segment) = segments.next(), !segment.isScan {
            if segment.isFrame { return [0xC2, 0xC6, 0xCA, 0xCE].contains(segment.code) }
        }
        return false
    }
}

extension SourceColor.Encoding {
    /// For people; `nil` for what every file without a word is.
    fileprivate var words: String? {
        switch self {
        case .standard: return nil
        case .profile(let bytes):
            let name = bytes.withUnsafeBytes { ProfileName.find(in: ByteReader($0)) }
            return "profile \(name.map { "\"\($0)\"" } ?? "without a name") of \(bytes.count) bytes"
        case .gamma(let exponent, let primaries):
            let rounded = (exponent * 100).rounded() / 100
            return "gamma \(rounded)\(primaries == nil ? "" : ", primaries of its own")"
        case .coded(_, let transfer):
            return "code points, \(transfer)"
        }
    }
}

/// The name that a colour profile gives itself.
///
/// - Source: ICC.1:2022, sections 7.2, 7.3 and 10.15; ICC.1:2001-04, section 6.5.17 for the older form.
enum ProfileName {
    static func find(in profile: ByteReader) -> String? {
        guard let count = profile.big(128, size: 4) else { return nil }
        // Profiles have some ten tags.
        for index in 0..<min(count, 100) where profile.has("desc", at: 132 + index * 12) {
            guard let offset = profile.big(136 + index * 12, size: 4), let size = profile.big(140 + index * 12, size: 4)
            else { return nil }
            return text(profile.slice(offset, length: size))
        }
        return nil
    }

    private static func text(_ tag: ByteReader) -> String? {
        if tag.has("desc", at: 0) {
            guard let length = tag.big(8, size: 4) else { return nil }
            let bytes = tag.slice(12, length: min(length, 200)).bytes.prefix { $0 != 0 }
            return printable(String(decoding: bytes, as: UTF8.self))
        }
        guard tag.has("mluc", at: 0), let length = tag.big(20, size: 4), let offset = tag.big(24, size: 4) else {
            return nil
        }
        let units = tag.slice(offset, length: min(length, 400))
        let text = (0..<units.count / 2).compactMap { units.big($0 * 2, size: 2).map(UInt16.init) }
        return printable(String(decoding: text, as: UTF16.self))
    }

    /// What could confuse a terminal is left out.
    private static func printable(_ text: String) -> String? {
        let clean = text.unicodeScalars.filter { $0.properties.generalCategory != .control && $0 != "\u{FFFD}" }
        return clean.isEmpty ? nil : String(String.UnicodeScalarView(clean))
    }
}

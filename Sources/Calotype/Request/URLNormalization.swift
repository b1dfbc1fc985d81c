package import Foundation

/// Brings a URL into the form that keys compare, by one scan of its bytes.
///
/// Scheme and host in lower case; no default port, no fragment; "/" for an empty path; without the query items of a
/// complete signature. Everything else stays as it is written, percent-encoding included.
///
/// - Source: RFC 3986 sections 6.2.2.1 and 6.2.3.
package struct URLNormalization {
    private let rule: SignatureRule

    package init(_ rule: SignatureRule = .known) {
        self.rule = rule
    }

    /// The digest of the normalised URL. Nothing is allocated where the URL's string is native.
    package func digest(of url: URL) -> Digest {
        var string = url.absoluteString
        return string.withUTF8 { bytes in
            var hash = DigestBuilder()
            scan(bytes) { piece, isCaseless in
                if isCaseless {
                    for byte in piece { hash.append(byte.asciiLowercased) }
                } else {
                    hash.append(UnsafeRawBufferPointer(piece))
                }
            }
            hash.append(0xff as UInt8)
            return hash.finish()
        }
    }

    /// The normalised URL, written out.
    package func string(of url: URL) -> String {
        var string = url.absoluteString
        return string.withUTF8 { bytes in
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count + 1)
            scan(bytes) { piece, isCaseless in
                if isCaseless {
                    result.append(contentsOf: piece.lazy.map(\.asciiLowercased))
                } else {
                    result.append(contentsOf: piece)
                }
            }
            return String(decoding: result, as: UTF8.self)
        }
    }

    /// Gives the pieces of the normalised URL in order; the flag says that a piece is to be read in lower case.
    @inline(__always)
    private func scan(_ url: UnsafeBufferPointer<UInt8>, _ piece: (UnsafeBufferPointer<UInt8>, Bool) -> Void) {
        func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: url[range]) }

        guard let colon = url.firstIndex(of: UInt8(ascii: ":")) else { return piece(url, false) }
        guard let secure = Self.isSecure(slice(0..<colon)), url.count > colon + 2,
            url[colon + 1] == UInt8(ascii: "/"), url[colon + 2] == UInt8(ascii: "/")
        else {
            piece(slice(0..<colon), true)
            return piece(slice(colon..<url.count), false)
        }

        // The authority ends at the path, the query or the fragment; within it, the host begins after the last "@".
        var hostStart = colon + 3
        var authorityEnd = hostStart
        var portColon: Int?
        scanning: while authorityEnd < url.count {
            switch url[authorityEnd] {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break scanning
            case UInt8(ascii: "@"): (hostStart, portColon) = (authorityEnd + 1, nil)
            case UInt8(ascii: ":"): portColon = authorityEnd
            case UInt8(ascii: "]"): portColon = nil
            default: break
            }
            authorityEnd += 1
        }
        piece(slice(0..<colon + 3), true)
        piece(slice(colon + 3..<hostStart), false)
        if let portColon, Self.isDefaultPort(slice(portColon + 1..<authorityEnd), secure: secure) {
            piece(slice(hostStart..<portColon), true)
        } else {
            piece(slice(hostStart..<authorityEnd), true)
        }

        var pathEnd = authorityEnd
        while pathEnd < url.count, url[pathEnd] != UInt8(ascii: "?"), url[pathEnd] != UInt8(ascii: "#") { pathEnd += 1 }
        if pathEnd == authorityEnd {
            Self.slash.withUnsafeBufferPointer { piece($0, false) }
        } else {
            piece(slice(authorityEnd..<pathEnd), false)
        }
        guard pathEnd < url.count, url[pathEnd] == UInt8(ascii: "?") else { return }

        var queryEnd = pathEnd + 1
        while queryEnd < url.count, url[queryEnd] != UInt8(ascii: "#") { queryEnd += 1 }
        let query = slice(pathEnd + 1..<queryEnd)
        let signed = QuerySignature(query, rule)
        guard !signed.isEmpty else { return piece(slice(pathEnd..<queryEnd), false) }
        var separator = pathEnd..<pathEnd + 1
        for item in QueryItems(query) where !signed.contains(item.name) {
            piece(slice(separator), false)
            piece(item.whole, false)
            separator = pathEnd + 1 + item.end..<pathEnd + 2 + item.end
            if separator.upperBound > queryEnd { break }
        }
    }

    private static let slash: [UInt8] = [UInt8(ascii: "/")]

    /// Whether the scheme is https; `nil` if it is neither http nor https.
    private static func isSecure(_ scheme: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard scheme.count == 4 || scheme.count == 5, scheme[0] | 0x20 == UInt8(ascii: "h"),
            scheme[1] | 0x20 == UInt8(ascii: "t"), scheme[2] | 0x20 == UInt8(ascii: "t"),
            scheme[3] | 0x20 == UInt8(ascii: "p")
        else { return nil }
        if scheme.count == 4 { return false }
        return scheme[4] | 0x20 == UInt8(ascii: "s") ? true : nil
    }

    private static func isDefaultPort(_ port: UnsafeBufferPointer<UInt8>, secure: Bool) -> Bool {
        if port.isEmpty { return true }
        return port.elementsEqual((secure ? "443" : "80").utf8)
    }
}

/// The items of a query, in order: what stands between the "&".
private struct QueryItems: Sequence, IteratorProtocol {
    struct Item {
        let whole: UnsafeBufferPointer<UInt8>
        let name: UnsafeBufferPointer<UInt8>
        /// Where the item ends in the query: at the next "&", or at the end.
        let end: Int
    }

    private let query: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ query: UnsafeBufferPointer<UInt8>) {
        self.query = query
    }

    mutating func next() -> Item? {
        guard position <= query.count, !query.isEmpty else { return nil }
        var end = position
        var equals: Int?
        while end < query.count, query[end] != UInt8(ascii: "&") {
            if equals == nil, query[end] == UInt8(ascii: "=") { equals = end }
            end += 1
        }
        defer { position = end + 1 }
        return Item(
            whole: UnsafeBufferPointer(rebasing: query[position..<end]),
            name: UnsafeBufferPointer(rebasing: query[position..<(equals ?? end)]),
            end: end)
    }
}

/// The complete signature that a query carries, if any.
private struct QuerySignature {
    private let names: [String]

    var isEmpty: Bool { names.isEmpty }

    init(_ query: UnsafeBufferPointer<UInt8>, _ rule: SignatureRule) {
        func has(_ name: String) -> Bool {
            QueryItems(query).contains { $0.name.elementsEqual(name.utf8) }
        }
        for family in rule.families where query.count > family.mark.utf8.count && has(family.mark) {
            if family.required.allSatisfy(has) {
                names = family.required + family.optional
                return
            }
        }
        names = []
    }

    func contains(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        names.contains { name.elementsEqual($0.utf8) }
    }
}

package import Foundation

/// Brings a URL into the form that keys compare, by one scan of its bytes.
///
/// Scheme and host in lower case; no default port, no fragment; "/" for an empty path; without the query items of a
/// complete signature. Everything else stays as it is written, percent-encoding included.
///
/// - Source: RFC 3986 sections 6.2.2.1 and 6.2.3.
package struct URLNormalization: Sendable {
    package static let known = URLNormalization(.known)

    private let rule: SignatureRule

    package init(_ rule: SignatureRule) {
        self.rule = rule
    }

    /// The digest of the normalised URL. Nothing is allocated where the URL's string is native.
    ///
    /// - Parameter builder: A new one, by whatever key.
    package func digest(of url: URL, _ builder: DigestBuilder = DigestBuilder()) -> Digest {
        url.absoluteString.withBytes { bytes in
            var hash = builder
            scan(bytes) { hash.append(UnsafeRawBufferPointer($0)) }
            hash.append(0xff as UInt8)
            return hash.finish()
        }
    }

    /// Appends the normalised URL to a digest.
    package func append(_ url: URL, to hash: inout DigestBuilder) {
        url.absoluteString.withBytes { bytes in
            scan(bytes) { hash.append(UnsafeRawBufferPointer($0)) }
        }
        hash.append(0xff as UInt8)
    }

    /// The normalised URL, written out.
    package func string(of url: URL) -> String {
        url.absoluteString.withBytes { bytes in
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count + 1)
            scan(bytes) { result.append(contentsOf: $0) }
            return String(decoding: result, as: UTF8.self)
        }
    }

    /// Gives the pieces of the normalised URL in order: all of it in one piece, if it is normal as it stands.
    @inline(__always)
    private func scan(_ url: UnsafeBufferPointer<UInt8>, _ piece: (UnsafeBufferPointer<UInt8>) -> Void) {
        let parts = URLParts(url)
        let query = UnsafeBufferPointer(rebasing: url[parts.query])
        let isSigned = !parts.query.isEmpty && QueryItems(query).contains { hasMark($0.name) }
        if parts.isNormal, !isSigned { return piece(url) }
        scanParts(of: url, parts, piece)
    }

    /// Whether a name is as long as one that begins a signature.
    @inline(__always)
    private func hasMark(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        name.count < 64 && rule.markLengths & 1 &<< UInt64(name.count) != 0
    }

    /// The long way: for URLs that something has to be changed in.
    private func scanParts(
        of url: UnsafeBufferPointer<UInt8>, _ parts: URLParts, _ piece: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: url[range]) }
        func lowercased(_ range: Range<Int>) {
            slice(range).map(\.asciiLowercased).withUnsafeBufferPointer(piece)
        }

        lowercased(parts.scheme)
        guard parts.isHTTP else { return piece(slice(parts.scheme.upperBound..<url.count)) }
        piece(slice(parts.userInfo))
        lowercased(parts.host)
        if parts.path.isEmpty {
            [UInt8(ascii: "/")].withUnsafeBufferPointer(piece)
        } else {
            piece(slice(parts.path))
        }
        guard parts.hasQuery else { return }
        let query = slice(parts.query)
        let signature = QuerySignature(query, rule)
        var separator = UInt8(ascii: "?")
        for item in QueryItems(query) where !signature.contains(item.name) {
            withUnsafePointer(to: separator) { piece(UnsafeBufferPointer(start: $0, count: 1)) }
            piece(item.whole)
            separator = UInt8(ascii: "&")
        }
    }
}

/// Where the parts of a URL lie in its bytes.
private struct URLParts {
    /// With the "://" behind it, if it is http or https; else the name alone.
    var scheme = 0..<0
    var isHTTP = false
    /// With the "@" behind it.
    var userInfo = 0..<0
    /// With the port, unless that is the scheme's own.
    var host = 0..<0
    var path = 0..<0
    /// Without the "?".
    var query = 0..<0
    var hasQuery = false
    /// Whether nothing has to be changed, the signature aside.
    var isNormal = true

    init(_ url: UnsafeBufferPointer<UInt8>) {
        let colon: Int
        let isSecure: Bool
        if Self.beginsAsMost(url) {
            (colon, isSecure) = (5, true)
        } else {
            guard let end = url.firstIndex(of: UInt8(ascii: ":")) else { return }
            scheme = 0..<end
            for byte in url[0..<end] where byte != byte.asciiLowercased { isNormal = false }
            guard let isHTTPS = Self.isSecure(UnsafeBufferPointer(rebasing: url[0..<end])), url.count > end + 2,
                url[end + 1] == UInt8(ascii: "/"), url[end + 2] == UInt8(ascii: "/")
            else { return }
            (colon, isSecure) = (end, isHTTPS)
        }
        isHTTP = true
        scheme = 0..<colon + 3

        // The authority ends at the path, the query or the fragment; within it, the host begins after the last "@".
        var index = colon + 3
        var hostStart = index
        var portColon: Int?
        var hasCapitals = false
        scanning: while index < url.count {
            let byte = url[index]
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break scanning
            case UInt8(ascii: "@"): (hostStart, portColon, hasCapitals) = (index + 1, nil, false)
            case UInt8(ascii: ":"): portColon = index
            case UInt8(ascii: "]"): portColon = nil
            default: if byte != byte.asciiLowercased { hasCapitals = true }
            }
            index += 1
        }
        userInfo = colon + 3..<hostStart
        host = hostStart..<index
        if let portColon, Self.isDefaultPort(UnsafeBufferPointer(rebasing: url[portColon + 1..<index]), isSecure) {
            host = hostStart..<portColon
            isNormal = false
        }
        let pathStart = index
        index = Self.endOfPath(in: url, from: index)
        path = pathStart..<index
        if hasCapitals || path.isEmpty { isNormal = false }
        guard index < url.count else { return }
        if url[index] == UInt8(ascii: "?") {
            hasQuery = true
            let queryStart = index + 1
            while index < url.count, url[index] != UInt8(ascii: "#") { index += 1 }
            query = queryStart..<index
        }
        if index < url.count { isNormal = false }
    }

    /// The index of the first "?" or "#", or the end. A path is most of a URL: it is gone through eight bytes at a time.
    private static func endOfPath(in url: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        /// Whether a byte of a word is 0. (The lowest that is told is one; of those above it not all that are told are.)
        func zeros(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 }
        let bytes = UnsafeRawBufferPointer(url)
        var index = start
        while url.count &- index >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let ends = zeros(word ^ 0x3f3f_3f3f_3f3f_3f3f) | zeros(word ^ 0x2323_2323_2323_2323)
            if ends != 0 { return index &+ ends.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < url.count, url[index] != UInt8(ascii: "?"), url[index] != UInt8(ascii: "#") { index &+= 1 }
        return index
    }

    /// Whether it begins with "https://" in lower case, which is told at once.
    private static func beginsAsMost(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
        guard url.count >= 8 else { return false }
        let word = UnsafeRawBufferPointer(url).loadUnaligned(as: UInt64.self)
        return UInt64(littleEndian: word) == 0x2f2f_3a73_7074_7468
    }

    /// Whether the scheme is https; `nil` if it is neither http nor https.
    private static func isSecure(_ scheme: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard scheme.count == 4 || scheme.count == 5, scheme[0] | 0x20 == UInt8(ascii: "h"),
            scheme[1] | 0x20 == UInt8(ascii: "t"), scheme[2] | 0x20 == UInt8(ascii: "t"),
            scheme[3] | 0x20 == UInt8(ascii: "p")
        else { return nil }
        if scheme.count == 4 { return false }
        return scheme[4] | 0x20 == UInt8(ascii: "s") ? true : nil
    }

    private static func isDefaultPort(_ port: UnsafeBufferPointer<UInt8>, _ isSecure: Bool) -> Bool {
        if port.isEmpty { return true }
        return port.elementsEqual((isSecure ? "443" : "80").utf8)
    }
}

/// The items of a query, in order: what stands between the "&".
private struct QueryItems: Sequence, IteratorProtocol {
    struct Item {
        let whole: UnsafeBufferPointer<UInt8>
        let name: UnsafeBufferPointer<UInt8>
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
            name: UnsafeBufferPointer(rebasing: query[position..<(equals ?? end)]))
    }
}

/// The complete signature that a query carries, if any.
private struct QuerySignature {
    private let names: [String]

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

import Foundation

@testable import Calotype

/// Gives whatever bytes come to the parsers of our own, and checks what they promise.
enum ParserFuzz {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static func header(_ input: Data) {
        // A prefix says at most that more is needed: what it has told once doesn't become something else.
        let half = ImageHeader.parse(input.prefix(input.count / 2))
        let whole = ImageHeader.parse(input)
        if half == .notAnImage { precondition(whole == .notAnImage || input.count < 2) }
        if case .image(let early) = half, case .image(let late) = whole { precondition(early.format == late.format) }
        guard case .image(let header) = whole else { return }
        _ = ImageHeader.isCutOff(input, format: header.format)
        if let decoder = ImageDecoders.system.decoder(for: header.format) {
            let count = decoder.estimatedByteCount(
                of: input, format: header.format, pixelSize: header.pixelSize, target: .fit(width: 9, height: 9))
            precondition(count >= 0)
        }
    }

    /// Takes lines of `name: value` for the fields of a response, and every second one for those of a request.
    static func fields(_ input: Data) {
        var response = HTTPFields()
        var request = HTTPFields()
        for (index, line) in input.split(separator: 0x0A).enumerated() {
            let parts = line.split(separator: 0x3A, maxSplits: 1)
            guard parts.count == 2 else { continue }
            let (name, value) = (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
            if index % 2 == 0 { response.append(name, value) } else { request.append(name, value) }
        }
        _ = RetryAfter.delay(in: response, now: now)
        _ = HTTPCache.mayStore(method: "GET", requestFields: request, status: 200, fields: response)
        let head = HTTPCache.StoredHead(
            status: 200, fields: response, requestTime: now, responseTime: now, requestFields: request)
        judge(head, request)
        let fresh = HTTPCache.freshen(
            head, with: response, requestTime: now, responseTime: now + 1, requestFields: request)
        precondition(HTTPCache.StoredHead(encoded: fresh.encoded()) == fresh)
        if let text = response["Content-Range"] { _ = ContentRange(text) }
        if let text = response["Date"], let date = HTTPDate.parse(text, near: now) {
            precondition(date.timeIntervalSince1970.isFinite)
        }
    }

    static func head(_ input: Data) {
        guard let head = HTTPCache.StoredHead(encoded: input) else { return }
        // What can be read is written alike.
        precondition(HTTPCache.StoredHead(encoded: head.encoded())?.encoded() == head.encoded())
        judge(head, HTTPFields())
    }

    private static func judge(_ head: HTTPCache.StoredHead, _ request: HTTPFields) {
        let decision = HTTPCache.decide(candidates: [head], request: request, now: now + 60)
        precondition(!decision.reason.description.isEmpty)
        _ = HTTPCache.staleAnswer(head, request: request, to: .disconnected, now: now + 60)
        _ = HTTPCache.isNotModified(head, for: request)
        _ = HTTPCache.confirms(head.fields, head)
        if case .part(let range) = HTTPCache.range(of: request, in: head, byteCount: 1_000) {
            precondition(range.lowerBound >= 0 && range.upperBound <= 1_000 && !range.isEmpty)
        }
    }

    static func url(_ input: Data) {
        guard let url = URL(string: String(decoding: input, as: UTF8.self)) else { return }
        let normalization = URLNormalization(.known)
        let text = normalization.string(of: url)
        if let again = URL(string: text) {
            // Normal is normal: a second time changes nothing.
            precondition(normalization.string(of: again) == text, "\(text) becomes \(normalization.string(of: again))")
        }
        _ = ResourceID(url: url)
        if url.scheme == "data" { _ = try? DataURL.decode(url, DecoderFuzz.limits) }
    }

    static func thumbHash(_ input: Data) {
        if let record = ImpressionRecord(bytes: input) { precondition(!record.bytes.isEmpty) }
        guard let hash = ThumbHash(bytes: input) else { return }
        precondition(hash.bytes == Array(input))
        _ = hash.bitmap(size: PixelSize(width: 32, height: 24))
    }
}

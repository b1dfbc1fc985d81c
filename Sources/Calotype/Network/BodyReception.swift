import Foundation

/// Is given the pieces of a body as they arrive. No closure, which would be one more object for each load.
protocol PieceReceiver: AnyObject, Sendable {
    /// Called with each piece, after it has been taken in.
    func take(_ piece: Data, of reception: BodyReception)
}

/// The body of a success while it arrives: what has come, and whether it may go on.
///
/// An object, since a function that waits has it: there the parts of a value would be spread over the frame, which lies on
/// the heap and is made for every load. Its functions are kept out of line for the same reason.
///
/// `@unchecked Sendable`: one task at a time has it, which alone changes it. What breaks off is handed to the next one by
/// way of ``PartialBody``, which reads it alone. So accesses aren't checked for overlapping either.
final class BodyReception: @unchecked Sendable {
    /// What the response means to a cache.
    let arrival: HTTPCache.Arrival
    /// The length of the body, if it is known.
    let expectedByteCount: Int64?
    /// When it was asked for. Tells one body from another, as long as one fetch has them; a continued one stays the same.
    let startTime: Moment
    private let validation: BodyValidation
    /// A length is what a server claims. Where an app sets no limit, memory for it isn't taken before the bytes come.
    private static let mostReservedBytes: Int64 = 64 << 20
    /// Where the bytes of this exchange begin: not 0 if they continue a body that broke off.
    @exclusivity(unchecked) private(set) var start = 0
    /// Where the server said that they end, if they continue a body.
    @exclusivity(unchecked) private var end: Int?

    /// The bytes so far.
    @exclusivity(unchecked) private(set) var data = Data()
    /// What they say of the image, once they say it.
    @exclusivity(unchecked) private(set) var header: ImageHeader?
    /// How many bytes there must be for the next look at them, as long as they don't say it.
    @exclusivity(unchecked) private var nextLook = 0
    /// Their digest, made as they come: once the last ones are there, decoding needn't wait for it.
    @exclusivity(unchecked) private var version = DigestBuilder()

    /// - Parameter lookup: Has the fields of the request, less what made it conditional.
    @inline(never)
    init(
        _ exchange: HTTPLoader.Exchange, method: String, _ lookup: StoreLookup, expectedByteCount: Int64?,
        _ validation: BodyValidation
    ) throws {
        arrival = HTTPCache.Arrival(
            method: method, requestFields: lookup.fields, asked: lookup.asked, status: exchange.response.status,
            fields: exchange.response.fields, requestTime: exchange.requestTime, responseTime: exchange.responseTime,
            redirection: exchange.redirection)
        self.expectedByteCount = expectedByteCount
        startTime = exchange.start
        self.validation = validation
        if let expectedByteCount { try validation.limits.check(bodyByteCount: expectedByteCount) }
    }

    /// Goes on with a part of the body.
    func resume(end: Int) {
        start = data.count
        self.end = end
    }

    var progress: LoadProgress {
        LoadProgress(receivedByteCount: Int64(data.count), expectedByteCount: expectedByteCount)
    }

    /// Takes the next bytes.
    ///
    /// - Returns: The bytes that can be stored from now on: none until those so far are an image; then all of them at once.
    /// - Throws: ``ImageError`` as soon as it is clear that there will be no image, or one beyond the limits.
    @inline(never)
    func take(_ piece: Data) throws -> Data? {
        if let end, data.count + piece.count > end {
            throw ImageError(.network, .unexpectedPart("more bytes came than the part has"))
        }
        try validation.limits.check(bodyByteCount: Int64(data.count) + Int64(piece.count))
        let isFirst = data.isEmpty
        if isFirst {
            data = piece
        } else {
            if data.count == piece.count, let expectedByteCount {
                data.reserveCapacity(Int(min(expectedByteCount, Self.mostReservedBytes)))
            }
            data.append(piece)
        }
        let isKnown = header != nil
        // As a rule the first piece says it all, and the bytes are asked for once.
        try piece.withUnsafeBytes { bytes in
            version.append(bytes)
            if isFirst { try findHeader(in: bytes, isComplete: false) }
        }
        if isKnown { return piece }
        if !isFirst, data.count >= nextLook {
            try data.withUnsafeBytes { try findHeader(in: $0, isComplete: false) }
        }
        return header.map { _ in data }
    }

    private func findHeader(in bytes: UnsafeRawBufferPointer, isComplete: Bool) throws {
        header = try validation.header(of: bytes, isComplete: isComplete, stage: .validation)
        if header == nil { nextLook = Self.nextLook(after: bytes.count) }
    }

    /// When to look again. Each look is at all bytes from the first, so many small pieces mustn't bring as many looks. The
    /// last one at which anybody may be undecided isn't passed over: the bytes behind it needn't come to tell.
    private static func nextLook(after count: Int) -> Int {
        let next = count + max(count / 16, 1)
        let last = FormatRecognition.prefixByteCount
        return count < last ? min(next, last) : next
    }

    /// The head as a store keeps it.
    var metadata: Data { arrival.head.encodedForImages() }

    /// Checks that all bytes have come, and that they are an image.
    ///
    /// - Returns: All bytes, if that is clear only now; so none of them has been stored.
    @discardableResult
    @inline(never)
    func checkEnd() throws -> Data? {
        if let expectedByteCount, Int64(data.count) < expectedByteCount {
            throw ImageError(.network, .truncated(received: Int64(data.count), expected: expectedByteCount))
        }
        if data.isEmpty { throw ImageError(.validation, .emptyBody) }
        if header != nil { return nil }
        // Bytes that could have been the beginning of one format may be the whole of another.
        try data.withUnsafeBytes { try findHeader(in: $0, isComplete: true) }
        return data
    }

    /// What has been received, after ``checkEnd()``.
    @inline(never)
    func resource(
        stored: StoredResponse.ID?, _ exchange: HTTPLoader.Exchange, _ lookup: StoreLookup,
        _ policy: ImageRequest.CachePolicy, receivedByteCount: Int64, bodyTime: Duration
    ) throws -> FetchedResource {
        guard let header else { throw ImageError(.validation, .notAnImage) }
        var work = lookup.work(of: .network)
        exchange.describe(in: &work)
        work.times.body = bodyTime
        work.receivedByteCount = receivedByteCount
        return FetchedResource(
            data: data, header: header, version: version.finish(),
            freshness: policy.freshness(of: arrival.freshness), responseTime: arrival.head.responseTime, stored: stored,
            work: consume work)
    }
}

extension ImageLimits {
    fileprivate func check(bodyByteCount byteCount: Int64) throws {
        let limit = Int64(bodyByteCount)
        if byteCount > limit {
            throw ImageError(.validation, .bodyTooLarge(byteCount: byteCount, limit: limit))
        }
    }
}

extension ImageRequest.CachePolicy {
    /// When pixels go stale whose response says `said`.
    func freshness(of said: @autoclosure () -> Freshness) -> Freshness {
        switch self {
        case .immutable: .immutable
        case .noStore: .transient
        default: said()
        }
    }
}

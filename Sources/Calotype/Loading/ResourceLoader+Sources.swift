import Foundation

/// Where bytes come from when not by HTTP.
extension ResourceLoader {
    /// Loads what isn't HTTP.
    @inline(never)
    func loadElsewhere(_ fetch: Fetch) async throws -> FetchedResource {
        let start = Moment.now
        let data: Data
        switch fetch.source {
        case .http(let message): throw ImageError(.request, .unsupportedScheme(message.url.scheme ?? ""))
        case .url(let url): data = try await Self.read(url, configuration.limits)
        case .data(let bytes): data = bytes
        case .closure(let closure): data = try await Self.call(closure)
        }
        return try resource(of: data, fetch, since: start)
    }

    /// The bytes of a file, or of a `data:` URL.
    static func read(_ url: URL, _ limits: ImageLimits) async throws -> Data {
        switch url.scheme?.lowercased() {
        case "file": return try await FileSource.read(url, limits)
        case "data": return try DataURL.decode(url, limits)
        case let scheme: throw ImageError(.request, .unsupportedScheme(scheme ?? ""))
        }
    }

    /// The bytes that the app brings itself.
    static func call(_ closure: @Sendable () async throws -> Data) async throws -> Data {
        do {
            return try await closure()
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            throw ImageError(.source, .sourceFailed, underlying: error)
        }
    }

    /// Bytes that didn't come by HTTP. They can't go stale by themselves: `.revalidate` and `.reload` read them anew.
    ///
    /// - Parameter start: When they were asked for.
    @inline(never)
    func resource(of data: Data, _ fetch: Fetch, since start: Moment) throws -> FetchedResource {
        try Task.checkCancellation()
        if data.isEmpty { throw ImageError(.source, .emptyBody) }
        if data.count > configuration.limits.bodyByteCount {
            throw ImageError(
                .source,
                .bodyTooLarge(byteCount: Int64(data.count), limit: Int64(configuration.limits.bodyByteCount)))
        }
        let header = try data.withUnsafeBytes {
            try http.validation.header(of: $0, isComplete: true, stage: .source)
        }
        guard let header else { throw ImageError(.source, .notAnImage) }
        var work = LoadReport.Work(layer: .source)
        work.start = start
        work.times.body = .now - start
        return FetchedResource(
            data: data, header: header, freshness: fetch.policy == .noStore ? .transient : .immutable,
            responseTime: configuration.clock.now(), stored: nil, work: work)
    }
}

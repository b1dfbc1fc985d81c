import Foundation

/// Where bytes come from when not by HTTP.
extension ResourceLoader {
    /// Loads what isn't HTTP.
    @inline(never)
    func loadElsewhere(_ fetch: Fetch) async throws -> FetchedResource {
        switch fetch.source {
        case .http(let message): throw ImageError(.request, .unsupportedScheme(message.url.scheme ?? ""))
        case .url(let url): try resource(of: try await Self.read(url, configuration.limits), fetch)
        case .data(let data): try resource(of: data, fetch)
        case .closure(let closure): try resource(of: try await Self.call(closure), fetch)
        }
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
    @inline(never)
    func resource(of data: Data, _ fetch: Fetch) throws -> FetchedResource {
        try Task.checkCancellation()
        if data.isEmpty { throw ImageError(.source, .emptyBody) }
        if data.count > configuration.limits.bodyByteCount {
            throw ImageError(
                .source,
                .bodyTooLarge(byteCount: Int64(data.count), limit: Int64(configuration.limits.bodyByteCount)))
        }
        let header = try BodyValidation.header(of: data, isComplete: true, configuration.limits, stage: .source)
        guard let header else { throw ImageError(.source, .notAnImage) }
        return FetchedResource(
            data: data, header: header, freshness: fetch.policy == .noStore ? .transient : .immutable,
            responseTime: configuration.clock.now(), stored: nil,
            work: LoadReport.Work(layer: .source))
    }
}

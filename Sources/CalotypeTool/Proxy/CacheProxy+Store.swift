import Calotype
import Foundation

extension CacheProxy {
    /// What is stored for a URL.
    struct Lookup {
        struct Candidate {
            let response: StoredResponse
            let head: HTTPCache.StoredHead
        }

        let key: FetchKey
        let candidates: [Candidate]

        var heads: [HTTPCache.StoredHead] { candidates.map(\.head) }
    }

    func lookUp(_ url: URL) async -> Lookup {
        let key = FetchKey(url: url)
        let responses = await attempt("look up") { try await store.responses(for: key) } ?? []
        return Lookup(
            key: key,
            candidates: responses.compactMap { response in
                HTTPCache.StoredHead(encoded: response.metadata).map { .init(response: response, head: $0) }
            })
    }

    func deposit(
        _ head: HTTPCache.StoredHead, _ lookup: Lookup, _ replaced: Lookup.Candidate?, since epoch: StoreEpoch
    ) async -> (any ResponseWriter)? {
        await attempt("write") {
            try await store.writer(
                for: lookup.key, resource: ResourceID(url: lookup.key.url), metadata: head.encoded(),
                replacing: replaced?.response.id, since: epoch)
        }
    }

    func update(_ candidate: Lookup.Candidate, to head: HTTPCache.StoredHead) async {
        await attempt("update") {
            _ = try await store.updateMetadata(of: candidate.response.id, to: head.encoded())
        }
    }

    func note(
        head response: HTTPResponse, on selected: Lookup.Candidate, requestTime: Date, responseTime: Date
    ) async {
        let effect = HTTPCache.effect(
            ofHEAD: response.status, response.fields, on: selected.head, byteCount: selected.response.bodyByteCount,
            requestTime: requestTime, responseTime: responseTime)
        switch effect {
        case .nothing: break
        case .freshened(let head): await update(selected, to: head)
        case .outdated: await attempt("remove") { try await store.remove(selected.response.id) }
        }
    }

    func invalidate(_ method: String, _ url: URL, _ response: HTTPResponse) async {
        for url in HTTPCache.invalidated(method: method, url: url, status: response.status, fields: response.fields) {
            await attempt("remove") { try await store.remove(ResourceID(url: url)) }
        }
    }

    /// Does something with the store. A fault is logged, and `nil` returned.
    @discardableResult
    func attempt<Value>(_ operation: String, _ body: () async throws -> Value) async -> Value? {
        do {
            return try await body()
        } catch {
            log?("the store couldn't \(operation): \(error)")
            return nil
        }
    }
}

extension CacheProxy.Lookup {
    /// The candidate that a request selects.
    func selected(by fields: HTTPFields) -> Candidate? {
        HTTPCache.selected(of: heads, request: fields).map { candidates[$0] }
    }
}

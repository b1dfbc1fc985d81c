import Foundation

/// The fields that a request is sent with, and what they ask of caches. An object, since most requests share one.
final class RequestFields: Sendable {
    let fields: HTTPFields
    let asked: CacheControl

    init(_ fields: HTTPFields) {
        self.fields = fields
        asked = CacheControl(ofRequest: fields)
    }
}

/// What the look at the store has brought, and what the HTTP cache decides. An object, since it goes through many hands.
final class StoreLookup: Sendable {
    /// A response in the store, with its head read.
    final class Candidate: Sendable {
        let id: StoredResponse.ID
        let head: HTTPCache.StoredHead

        init(id: StoredResponse.ID, head: HTTPCache.StoredHead) {
            self.id = id
            self.head = head
        }
    }

    /// What the request is sent with, less what depends on the state of caches.
    private let request: RequestFields
    private let candidates: [Candidate]
    private let decision: HTTPCache.Decision
    private let policy: ImageRequest.CachePolicy
    private let start: Moment
    private let duration: Duration

    /// Decides by the policy what to do about a request.
    init(
        _ responses: [StoredResponse], _ request: RequestFields, _ policy: ImageRequest.CachePolicy, now: Date,
        since start: Moment
    ) {
        self.request = request
        self.policy = policy
        self.start = start
        candidates = responses.compactMap { response in
            HTTPCache.StoredHead(encoded: response.metadata).map { Candidate(id: response.id, head: $0) }
        }
        let heads = candidates.map(\.head)
        switch policy {
        case .http:
            decision = HTTPCache.decide(candidates: heads, request: request.fields, request.asked, now: now)
        case .revalidate:
            var fields = request.fields
            fields["Cache-Control"] = "no-cache"
            decision = HTTPCache.decide(candidates: heads, request: fields, now: now)
        case .storedElseLoad, .storedOnly, .immutable:
            let index = HTTPCache.selected(of: heads, request: request.fields)
            decision =
                index.map { HTTPCache.Decision(.useStored($0), .policy, selected: $0) }
                ?? HTTPCache.Decision(.fetch, .nothingStored, selected: nil)
        case .reload, .noStore:
            decision = HTTPCache.Decision(
                .fetch, .policyReload, selected: HTTPCache.selected(of: heads, request: request.fields))
        }
        duration = .now - start
    }

    /// The fields of the request, less what depends on the state of caches.
    var fields: HTTPFields { request.fields }

    /// What they ask of caches.
    var asked: CacheControl { request.asked }

    /// The stored response that may be used as it is.
    var usable: Candidate? {
        switch decision.outcome {
        case .useStored(let index), .useStaleWhileRevalidating(let index): candidates[index]
        case .revalidate, .fetch, .unsatisfiable: nil
        }
    }

    /// Whether ``usable`` is stale.
    var isUsedStale: Bool { decision.outcome.isStale }

    /// The stored response that the server is to confirm.
    var validated: Candidate? {
        if case .revalidate(let index, _) = decision.outcome { candidates[index] } else { nil }
    }

    /// The stored response that the request selects: what a new one takes the place of.
    var selected: Candidate? { decision.selected.map { candidates[$0] } }

    /// What asks the server whether ``validated`` is still good.
    var conditions: HTTPLoader.Conditions? {
        validated.map { HTTPLoader.Conditions(validators, of: $0.head) }
    }

    /// The fields that ask the server to confirm it.
    var validators: HTTPFields {
        if case .revalidate(_, let fields) = decision.outcome { fields } else { HTTPFields() }
    }

    /// Whether the request allows stored responses alone, and none will do.
    var isUnsatisfiable: Bool { decision.outcome == .unsatisfiable }

    /// Why; `nil` where the policy doesn't look at what is stored.
    var reason: HTTPCache.Reason? { policy.readsStore ? decision.reason : nil }

    /// The beginning of a report, for a resource of that layer.
    func work(of layer: LoadReport.Layer) -> LoadReport.Work {
        var work = LoadReport.Work(layer: layer)
        work.cacheReason = reason
        work.start = start
        work.times.lookup = duration
        return work
    }
}

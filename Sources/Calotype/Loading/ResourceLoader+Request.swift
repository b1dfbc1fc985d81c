import Foundation

/// What is sent to a server.
extension ResourceLoader {
    /// The fields of a request, less what depends on the state of caches.
    func fields(of fetch: Fetch) -> HTTPFields {
        if hasPrivateFields, fetch.isForeign { return RedirectPolicy.forAnyOrigin(configuration.fields) }
        var fields = configuration.fields
        if case .http(let message) = fetch.source {
            for field in message.fields { fields[field.name] = field.value }
        }
        return fields
    }

    /// The request as it is sent, less its conditions: asking caches on the way for what the policy asks of this one.
    @inline(never)
    func request(
        _ url: URL, _ fetch: Fetch, _ lookup: StoreLookup, _ priority: TransferPriority
    ) -> HTTPRequest {
        var fields = lookup.fields
        for field in lookup.validators { fields[field.name] = nil }
        if fetch.policy == .reload || fetch.policy == .revalidate, fields["Cache-Control"] == nil {
            fields["Cache-Control"] = "no-cache"
        }
        var request = HTTPRequest(url: url, fields: fields, timeouts: configuration.timeouts, priority: priority)
        if case .http(let message) = fetch.source {
            request.method = message.method
            request.body = message.body
        }
        request.allowsConstrainedNetwork = configuration.allowsConstrainedNetwork && !fetch.sparesData
        request.allowsExpensiveNetwork = configuration.allowsExpensiveNetwork
        return request
    }
}

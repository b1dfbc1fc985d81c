import Foundation

extension HTTPLoader {
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
        return HTTPRequest(
            method: fetch.method, url: url, fields: fields, body: fetch.key?.body,
            timeouts: configuration.timeouts, priority: priority,
            allowsConstrainedNetwork: configuration.allowsConstrainedNetwork && !fetch.sparesData,
            allowsExpensiveNetwork: configuration.allowsExpensiveNetwork)
    }
}

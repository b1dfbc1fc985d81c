import Foundation

/// What is sent to a server.
extension ResourceLoader {
    /// The fields of a request, less what depends on the state of caches.
    func fields(of fetch: Fetch) -> HTTPFields {
        if hasPrivateFields, fetch.isForeign { return RedirectPolicy.forAnyOrigin(configuration.fields) }
        var fields = configuration.fields
        if let message = fetch.source.message {
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
        let message = fetch.source.message
        return HTTPRequest(
            method: message?.method ?? "GET", url: url, fields: fields, body: message?.body,
            timeouts: configuration.timeouts, priority: priority,
            allowsConstrainedNetwork: configuration.allowsConstrainedNetwork && !fetch.sparesData,
            allowsExpensiveNetwork: configuration.allowsExpensiveNetwork)
    }

    /// Remembers that an image server makes no thumbnail of a request's URL, and tells the app why.
    @inline(never)
    func noteThumbnailRefusal(_ error: ImageError, of request: ImageRequest, _ load: LoadLabel) {
        if error.isLastingThumbnailRefusal { thumbnails?.noteRefusal(of: request) }
        configuration.observer?.note(.refusedThumbnail(load, error))
    }
}

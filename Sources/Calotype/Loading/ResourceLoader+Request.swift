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

    /// Remembers that an image server makes no thumbnail of a request's URL, and tells the app why.
    @inline(never)
    func noteThumbnailRefusal(_ error: ImageError, of request: ImageRequest, _ load: LoadLabel) {
        if error.isLastingThumbnailRefusal { thumbnails?.noteRefusal(of: request) }
        configuration.observer?.note(.refusedThumbnail(load, error))
    }
}

import Foundation

/// What is sent to a server.
extension ResourceLoader {
    /// The fields of a request, less what depends on the state of caches.
    func fields(of fetch: Fetch) -> RequestFields {
        if hasPrivateFields, fetch.isForeign {
            return RequestFields(RedirectPolicy.forAnyOrigin(configuration.fields))
        }
        guard let message = fetch.source.message else { return ownFields }
        var fields = configuration.fields
        for field in message.fields { fields[field.name] = field.value }
        return RequestFields(fields)
    }

    /// Remembers that an image server makes no thumbnail of a request's URL, and tells the app why.
    @inline(never)
    func noteThumbnailRefusal(_ error: ImageError, of request: ImageRequest, _ load: LoadLabel) {
        if error.isLastingThumbnailRefusal { thumbnails?.noteRefusal(of: request) }
        configuration.observer?.note(.refusedThumbnail(load, error))
    }
}

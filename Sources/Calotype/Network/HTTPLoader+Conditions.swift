extension HTTPLoader {
    /// What a request asks about bytes that are here already: whether they are still good, or what comes after them.
    ///
    /// It is asked of the URL that they came from, wherever redirects lead to by now: see ``HTTPCache/Redirection``.
    final class Conditions: Sendable {
        private let fields: HTTPFields
        private let target: SHA256.Short?

        /// - Parameter head: Of the response that the bytes are of.
        init(_ fields: HTTPFields, of head: HTTPCache.StoredHead) {
            self.fields = fields
            target = head.redirection?.target
        }

        /// Makes a request conditional if it goes where the bytes came from, and unconditional if not.
        ///
        /// - Parameter redirection: What has led to the request's URL.
        func enter(_ request: inout HTTPRequest, at redirection: HTTPCache.Redirection?) {
            let applies = target == redirection?.target
            for field in fields { request.fields[field.name] = applies ? field.value : nil }
        }
    }
}

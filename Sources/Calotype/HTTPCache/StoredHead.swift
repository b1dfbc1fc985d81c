public import Foundation

extension HTTPCache {
    /// The head of a stored response, with what is needed to judge it.
    public struct StoredHead: Sendable, Hashable {
        /// The status.
        public var status: Int
        /// The response's fields, less those that are never stored.
        public var fields: HTTPFields
        /// When the request was sent.
        public var requestTime: Date
        /// When the response came.
        public var responseTime: Date
        /// The request's fields that the response's Vary names, by their names in lower case, in the form in which they are
        /// compared: of what may be a credential it tells no more than whether another one is the same.
        public private(set) var varyingFields: HTTPFields
        /// What the redirects on the way to the response mean to it; `nil` if there were none.
        package internal(set) var redirection: Redirection?

        /// Makes the head of a response to `request`; keeps of the request what Vary names.
        public init(
            status: Int, fields: HTTPFields, requestTime: Date, responseTime: Date, requestFields: HTTPFields
        ) {
            self.init(
                status: status, fields: fields, CacheControl(of: fields), requestTime: requestTime,
                responseTime: responseTime, requestFields: requestFields, redirection: nil)
        }

        init(
            status: Int, fields: HTTPFields, _ control: CacheControl, requestTime: Date, responseTime: Date,
            requestFields: HTTPFields, redirection: Redirection?
        ) {
            self.status = status
            self.fields = HTTPCache.storable(fields, control)
            self.requestTime = requestTime
            self.responseTime = responseTime
            self.redirection = redirection
            varyingFields = HTTPFields()
            redirection?.vary(&self.fields)
            recordVariance(of: requestFields)
        }

        /// Keeps of a request what Vary names.
        mutating func recordVariance(of requestFields: HTTPFields) {
            varyingFields = fields["Vary"].map { HTTPCache.varyingFields($0, of: requestFields) } ?? HTTPFields()
        }

        /// A head as it was stored.
        init(
            status: Int, fields: HTTPFields, requestTime: Date, responseTime: Date, varyingFields: HTTPFields,
            redirection: Redirection?
        ) {
            self.status = status
            self.fields = fields
            self.requestTime = requestTime
            self.responseTime = responseTime
            self.varyingFields = varyingFields
            self.redirection = redirection
        }
    }
}

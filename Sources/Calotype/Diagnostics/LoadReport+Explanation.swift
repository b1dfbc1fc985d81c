extension LoadReport {
    /// Why the image came from where it did, in a sentence or two: with the rule of HTTP caching that decided, and its
    /// numbers. Safe to log.
    ///
    ///     It was stored, and good without asking the server (fresh: age 12 s of 600 s by max-age (RFC 9111, 5.2.2.1)).
    public var explanation: String {
        let why = cacheReason.map { " (\($0))" } ?? ""
        let stand = isStandIn ? " It stands in for a newer one that couldn't be had." : ""
        let instead =
            switch alternative {
            case nil: ""
            case .lowData: " The request's URL for constrained networks was used."
            case .fallback(let index):
                " The request's fallback URL \(index + 1) was used, since those before it failed."
            }
        return how + why + "." + stand + instead
    }

    private var how: String {
        switch layer {
        case .memory where rendition.work.decodeStart != nil: "It was made from larger pixels in memory"
        case .memory: "Its pixels were in memory"
        case .storage: "It was stored, and good without asking the server"
        case .revalidation: "It was stored, and the server confirmed it"
        case .network: "The server sent it"
        case .source: "It was read from a file, a data URL, memory or the app's own closure"
        }
    }
}

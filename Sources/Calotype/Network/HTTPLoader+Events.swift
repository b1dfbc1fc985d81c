/// What listeners are told of an exchange. Written out here: an event takes room in the frame of whoever makes it, and loads
/// that nobody listens to would carry that about.
extension HTTPLoader {
    @inline(never)
    func noteRequest(for fetch: Fetch) {
        configuration.observer?.onEvent?(.requested(fetch.label))
    }

    @inline(never)
    func note(_ exchange: Exchange, for fetch: Fetch) {
        configuration.observer?.onEvent?(
            .responded(fetch.label, status: exchange.response.status, exchange.response.metrics))
    }

    @inline(never)
    func note(_ reception: borrowing BodyReception, for fetch: Fetch) {
        configuration.observer?.onEvent?(.received(fetch.label, byteCount: Int64(reception.data.count)))
    }
}

import Foundation

extension HTTPLoader {
    /// A place in the store, if there is a store.
    @inline(never)
    func deposit(
        _ first: Data, _ fetch: Fetch, _ head: HTTPCache.StoredHead, _ replaced: StoredResponse.ID?
    ) -> Deposit? {
        guard let store = configuration.store, let key = fetch.key else { return nil }
        return Deposit(
            of: first, in: store, for: key, resource: fetch.resource, metadata: head.encodedForImages(),
            replacing: replaced, since: fetch.epoch)
    }

    /// - Returns: Whether the bytes have been taken. If not, the deposit is aborted.
    @inline(never)
    func append(_ bytes: Data, to deposit: Deposit) async -> Bool {
        do {
            try await deposit.append(bytes)
            return true
        } catch {
            reportFault("write", error)
            await deposit.abort()
            return false
        }
    }

    /// Gives up the place of a body that isn't wanted any more, if there was one.
    @inline(never)
    func close(_ attempts: inout LoadAttempts) async {
        if let outdated = attempts.deposit.take() { await outdated.abort() }
    }

    /// Stores what there is of a body that goes on, unless a deposit has it already.
    @inline(never)
    func openAnew(
        _ reception: BodyReception, _ isStorable: Bool, _ fetch: Fetch, _ lookup: StoreLookup,
        _ attempts: inout LoadAttempts
    ) {
        guard isStorable, attempts.deposit == nil, reception.header != nil else { return }
        attempts.deposit = deposit(reception.data, fetch, reception.arrival.head, lookup.selected?.id)
    }
}

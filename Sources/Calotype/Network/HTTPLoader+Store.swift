import Foundation

extension HTTPLoader {
    /// A writer that has been opened. An object: a value whose size nobody knows is dear to hand about.
    final class Deposit: Sendable {
        let writer: any ResponseWriter

        init(_ writer: any ResponseWriter) { self.writer = writer }
    }

    /// A place in the store; `nil` if there is no store or it has failed.
    @inline(never)
    func deposit(
        _ fetch: Fetch, _ head: HTTPCache.StoredHead, _ replaced: StoredResponse.ID?
    ) async -> Deposit? {
        guard let store = configuration.store, let key = fetch.key else { return nil }
        do {
            return Deposit(
                try await store.writer(
                    for: key, resource: fetch.resource, metadata: head.encoded(), replacing: replaced,
                    since: fetch.epoch))
        } catch {
            reportFault("open", error)
            return nil
        }
    }

    /// - Returns: Whether the writer has taken the bytes. One that hasn't is aborted.
    @inline(never)
    func append(_ bytes: Data, to deposit: Deposit) async -> Bool {
        do {
            try await deposit.writer.append(bytes)
            return true
        } catch {
            reportFault("write", error)
            await deposit.writer.abort()
            return false
        }
    }

    /// Stores what there is of a body that goes on, unless a writer has it already.
    @inline(never)
    func openAnew(
        _ reception: BodyReception, _ isStorable: Bool, _ fetch: Fetch, _ lookup: StoreLookup,
        _ attempts: inout LoadAttempts
    ) async {
        guard isStorable, attempts.deposit == nil, reception.header != nil else { return }
        guard let opened = await deposit(fetch, reception.arrival.head, lookup.superseded?.id) else { return }
        if await append(reception.data, to: opened) { attempts.deposit = opened }
    }
}

import Foundation

extension HTTPLoader {
    /// Returns once a load that has failed may be attempted again.
    ///
    /// - Parameters:
    ///   - exchange: The one that failed, if it got as far as that.
    ///   - isBackground: Whether nobody is in a hurry for it now. Such a load doesn't wait for long: it would hold one of the
    ///     few places that there are for its like.
    ///   - isLast: Whether there is to be no other attempt.
    /// - Throws: `error`, if the load has failed for good; `CancellationError`, if it is cancelled while it waits.
    @inline(never)
    func retry(
        after error: any Error, _ exchange: Exchange?, _ url: URL, _ fetch: Fetch, isBackground: Bool, isLast: Bool,
        _ attempts: inout LoadAttempts
    ) async throws {
        if attempts.failureCount == 0, case .unexpectedPart? = (error as? ImageError)?.reason {
            // It continued what an earlier load had left. This one is no worse off than if there had been nothing.
            return
        }
        attempts.failureCount += 1
        let disconnection = note(error, exchange, url)
        guard !isLast, let failure = error as? ImageError, let delay = delay(after: failure, exchange, fetch, attempts),
            !isBackground || delay <= RetryPolicy.longestBackgroundDelay
        else {
            await giveUp(fetch, attempts)
            throw error
        }
        configuration.observer?.note(
            .retrying(
                fetch.label, after: failure.located(at: fetch.source.url), attempt: attempts.failureCount + 1,
                delay: delay))
        do {
            if let disconnection {
                try await reconnection.sleep(for: delay, on: configuration.clock, for: url, since: disconnection)
            } else {
                try await configuration.clock.sleep(for: delay)
            }
        } catch {
            await giveUp(fetch, attempts)
            throw error
        }
    }

    /// Tells the others who load from there whether the connection has failed.
    ///
    /// - Returns: When it failed, if it has.
    private func note(_ error: any Error, _ exchange: Exchange?, _ url: URL) -> ReconnectionMoment? {
        guard let failure = error as? ImageError else { return nil }
        if failure.reason == .networkRestricted {
            // Nothing was sent, and nothing will be before the network changes: no wait would help.
            reconnection.noteRestriction(at: url)
            return nil
        }
        if failure.isConnectivityFailure { return reconnection.noteFailure(at: url) }
        if exchange != nil { reconnection.noteSuccess(at: url) }
        return nil
    }

    /// How long to wait before another attempt; `nil` if there is to be none.
    private func delay(
        after failure: ImageError, _ exchange: Exchange?, _ fetch: Fetch, _ attempts: LoadAttempts
    ) -> Duration? {
        let method = fetch.key?.method
        let policy = fetch.retry ?? configuration.retry
        guard attempts.failureCount < policy.attemptLimit, method == "GET" || method == "HEAD",
            failure.isTransient
        else { return nil }
        let backoff = policy.backoff(afterFailures: attempts.failureCount, random: configuration.random())
        guard case .status = failure.reason, let fields = exchange?.response.fields,
            let asked = RetryAfter.delay(in: fields, now: configuration.clock.now())
        else { return backoff }
        // On top of what the server asks for, since it asks everybody alike.
        return asked <= policy.longestRetryAfter ? asked + backoff : nil
    }

    /// Ends a load. What it has received so far is kept for the next one, which may need no more than the rest: whatever
    /// error it has ended with, since bytes that have been refuted are gone by then.
    private func giveUp(_ fetch: Fetch, _ attempts: LoadAttempts) async {
        await attempts.deposit?.abort()
        guard fetch.policy.resumes, let key = fetch.key, let partial = attempts.partial else { return }
        partials.keep(partial, for: key, resource: fetch.resource, since: attempts.epoch)
    }

    /// Notes where a body has broken off.
    ///
    /// - Returns: The error that callers see.
    @inline(never)
    func breakOff(
        _ reception: BodyReception, _ error: any Error, _ fetch: Fetch, _ lookup: StoreLookup,
        _ attempts: inout LoadAttempts
    ) -> any Error {
        var result = Self.imageError(error)
        if reception.start > 0, var failure = result as? ImageError, case .truncated = failure.reason {
            // The transport knows of the part alone.
            failure.reason = .truncated(
                received: Int64(reception.data.count), expected: reception.expectedByteCount)
            result = failure
        }
        let mayGoOn = result is CancellationError || (result as? ImageError)?.isConnectivityFailure == true
        if mayGoOn, fetch.key?.method == "GET", lookup.fields["Range"] == nil {
            attempts.partial = PartialBody(reception)
        }
        return result
    }
}

extension ImageError {
    /// Whether the same request may go well in a moment.
    ///
    /// A name without an address is left out: that passes when the network comes back, not with time.
    var isTransient: Bool {
        switch reason {
        case .cannotConnect, .connectionLost, .timedOut, .truncated, .unexpectedPart: true
        case .status(let status): [408, 429, 500, 502, 503, 504].contains(status)
        default: false
        }
    }
}

extension ImageRequest.CachePolicy {
    /// Whether a load may go on where an earlier one was cut off.
    var resumes: Bool { self != .reload && self != .noStore && self != .storedOnly }
}

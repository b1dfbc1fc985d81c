import Synchronization

/// Waits for a result that one of the store's threads makes.
///
/// A continuation orders what that thread did before what the caller does next. The thread sanitizer doesn't see that,
/// since it doesn't look into Swift's runtime: in builds for it, the result goes through a lock as well, and the
/// continuation is one whose code isn't inlined.
///
/// - Parameter body: Gets what is to be called with the result, once.
func handover<Value: Sendable>(
    _ body: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
    #if CALOTYPE_THREAD_SANITIZER
    let box = HandoverBox<Value>()
    return try await withCheckedContinuation { (continuation: CheckedContinuation<HandoverBox<Value>, Never>) in
        body { result in
            box.result.withLock { $0 = result }
            continuation.resume(returning: box)
        }
    }.result.withLock { $0 ?? .failure(StoreError.closed) }.get()
    #else
    try await withUnsafeThrowingContinuation { continuation in
        body { continuation.resume(with: $0) }
    }
    #endif
}

#if CALOTYPE_THREAD_SANITIZER
private final class HandoverBox<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
}
#endif

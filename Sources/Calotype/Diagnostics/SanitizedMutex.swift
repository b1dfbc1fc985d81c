#if CALOTYPE_THREAD_SANITIZER
import Foundation

/// Takes the place of `Synchronization.Mutex` in builds for the thread sanitizer (`make sanitize-thread`).
///
/// On Linux that Mutex hands a contended lock over in the kernel, where the sanitizer doesn't see it, and reports a race
/// in nearly everything that a lock guards. A pthread mutex it knows.
///
/// `@unchecked Sendable`: `value` is touched under `lock` alone.
package struct SanitizedMutex<Value>: ~Copyable, Sendable {
    private final class Storage: @unchecked Sendable {
        let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

        init(_ initial: consuming sending Value) {
            value.initialize(to: initial)
            pthread_mutex_init(lock, nil)
        }

        deinit {
            pthread_mutex_destroy(lock)
            lock.deallocate()
            value.deinitialize(count: 1)
            value.deallocate()
        }
    }

    private let storage: Storage

    package init(_ value: consuming sending Value) {
        storage = Storage(value)
    }

    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(storage.lock)
        defer { pthread_mutex_unlock(storage.lock) }
        return try body(&storage.value.pointee)
    }
}

typealias Mutex = SanitizedMutex
#endif

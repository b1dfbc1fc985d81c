import Foundation

/// The time that the calling thread has had a processor: unlike a clock's, it doesn't depend on what else the machine does.
func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

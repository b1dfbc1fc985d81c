import Foundation

/// What processors have done for this process so far, in all of its threads, kernel included.
enum ProcessTime {
    static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

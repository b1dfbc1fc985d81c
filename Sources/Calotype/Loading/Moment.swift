#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A reading of the clock that nobody sets and that goes on while the system sleeps: what loads are timed by.
///
/// It is `ContinuousClock`'s, as a plain number. The layout of that one's instants isn't known when this is compiled: each
/// is copied through a table of functions, and a reading takes 190 instructions, this one 50, a dozen times in a load.
struct Moment: Hashable, Comparable, Sendable {
    private let nanoseconds: Int64

    #if canImport(Darwin)
    private static let clock = CLOCK_MONOTONIC
    #else
    private static let clock = CLOCK_BOOTTIME
    #endif

    /// The moment now.
    static var now: Moment {
        var time = timespec()
        clock_gettime(clock, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    static func - (end: Moment, start: Moment) -> Duration {
        .nanoseconds(end.nanoseconds &- start.nanoseconds)
    }

    static func + (start: Moment, duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        return Moment(nanoseconds: start.nanoseconds &+ seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }

    static func - (end: Moment, duration: Duration) -> Moment { end + (.zero - duration) }

    static func < (lhs: Moment, rhs: Moment) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

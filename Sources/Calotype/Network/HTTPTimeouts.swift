/// How long an exchange may take.
///
/// A negative time is the shortest there is, and one of centuries some weeks at least.
public struct HTTPTimeouts: Sendable, Hashable {
    /// From the start until the connection stands.
    public var connect: Duration
    /// Without a byte from the server, counted anew with each byte. Time in which the reader has paused doesn't count.
    public var idle: Duration
    /// From sending the request to the last byte of the body. Time in which the reader has paused counts; time in which the
    /// system sleeps doesn't.
    ///
    /// It ends what never idles and never gets done: a server that sends a byte now and then would hold a connection, and
    /// one of the places for loads, for as long as it likes. Allow for the largest image over the slowest connection: ten
    /// minutes, the default, are 16 MB at 28 kB a second. Each attempt has all of the time, and one that goes on with a body
    /// that broke off fetches no more than the rest.
    ///
    /// `URLSessionConfiguration.timeoutIntervalForResource` is the like of it: seven days unless it is changed, the same for
    /// all tasks of a session, and with the time that a task waits for a connection. ``URLSessionTransport`` keeps to both.
    public var total: Duration

    /// The defaults, each of which may be changed.
    public init(connect: Duration = .seconds(15), idle: Duration = .seconds(60), total: Duration = .seconds(600)) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

extension Duration {
    /// Rounded up, from 1 to what an `Int32` holds.
    var wholeMilliseconds: Int {
        guard self > .zero else { return 1 }
        guard self < .milliseconds(Int64(Int32.max)) else { return Int(Int32.max) }
        let (seconds, attoseconds) = components
        return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    /// The same in nanoseconds: a time that can be added to that of any clock.
    var timeoutNanoseconds: UInt64 { UInt64(wholeMilliseconds) * 1_000_000 }
}

import Foundation
import Synchronization

/// The standard streams.
///
/// - Isolation: Any thread.
enum Console {
    /// What the first write to standard output that failed came to; 0 while none has.
    private static let fault = Atomic<Int32>(0)

    /// Why standard output takes nothing any more, as `errno` has it; `nil` as long as it does.
    static var outputFault: Int32? {
        let code = fault.load(ordering: .relaxed)
        return code == 0 ? nil : code
    }

    /// Whether whoever read the output has gone: `calo load … | head -1`.
    static var hasLostItsReader: Bool { outputFault == EPIPE }

    /// Makes the streams safe to use, before anything else is opened.
    static func prepare() {
        // What is under way is put away, rather than dropped wherever it is: see `hasLostItsReader`.
        signal(SIGPIPE, SIG_IGN)
        // Of a stream that is closed the next file or connection would get the number, and with it what is printed. The wrong
        // way round, so that using it fails as it would have.
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// A line to standard output.
    static func print(_ text: String) {
        write(text + "\n", to: 1)
    }

    /// A line to standard error, with the program's name before it.
    static func complain(_ text: String) {
        write("calo: \(text)\n", to: 2)
    }

    /// Writes all of the text, past the buffers of the C library: what is printed is printed in order. Once standard output
    /// has failed, nothing more is written there.
    static func write(_ text: String, to descriptor: Int32) {
        if descriptor == 1, outputFault != nil { return }
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.write(descriptor, part.baseAddress, part.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // Another program that shares the terminal or the pipe doesn't wait for it. This one does.
                    var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&room, 1, -1)
                } else if errno != EINTR {
                    if descriptor == 1 {
                        _ = fault.compareExchange(expected: 0, desired: errno, ordering: .relaxed)
                    }
                    return
                }
            }
        }
    }

    /// Whether the stream is a terminal that can move its cursor.
    static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) != 0 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Whether text may be colored there. See no-color.org: any value of NO_COLOR but an empty one says no.
    static func allowsColor(_ descriptor: Int32) -> Bool {
        isTerminal(descriptor) && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// The columns of a terminal; 80 if it doesn't say.
    static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}

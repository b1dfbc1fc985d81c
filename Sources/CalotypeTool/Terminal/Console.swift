import Foundation

/// The standard streams.
enum Console {
    /// A line to standard output.
    static func print(_ text: String) {
        write(text + "\n", to: 1)
    }

    /// A line to standard error, with the program's name before it.
    static func complain(_ text: String) {
        write("calo: \(text)\n", to: 2)
    }

    /// Writes all of the text, past the buffers of the C library: what is printed is printed in order.
    static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.write(descriptor, part.baseAddress, part.count)
                // Nobody listens any more, or the disk is full: there is nobody left to tell.
                if count <= 0, errno != EINTR { return }
                rest = rest.dropFirst(max(count, 0))
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

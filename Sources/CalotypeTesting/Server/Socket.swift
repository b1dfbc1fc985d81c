import Foundation

/// The calls on descriptors that differ between systems, or need care.
enum Socket {
    enum Accepted {
        case connection(Int32)
        case nothing
        /// The process has no descriptor left.
        case exhausted
    }

    enum Transfer {
        case bytes(Int)
        case wouldBlock
        /// The peer has closed its side, or the connection broke.
        case ended
    }

    #if !os(Linux)
    private static let stream = SOCK_STREAM
    private static let sendFlags: Int32 = 0
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    /// Listens on 127.0.0.1.
    ///
    /// - Parameter port: 0 takes a free one.
    static func listen(port: UInt16) throws(LoopbackServer.StartError) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, stream, 0)
        if descriptor < 0 { throw LoopbackServer.StartError(call: "socket", errno: errno) }
        prepare(descriptor)
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> String? in
                if bind(descriptor, address, length) != 0 { return "bind" }
                // Above what a burst of connections needs; the system caps it.
                if Foundation.listen(descriptor, 4096) != 0 { return "listen" }
                if getsockname(descriptor, address, &length) != 0 { return "getsockname" }
                return nil
            }
        }
        if let failed {
            let error = LoopbackServer.StartError(call: failed, errno: errno)
            close(descriptor)
            throw error
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Takes the next connection, ready for use.
    static func accept(_ listener: Int32) -> Accepted {
        let descriptor = Foundation.accept(listener, nil, nil)
        if descriptor >= 0 {
            prepare(descriptor)
            // Each send goes out at once, so that scripted pauses fall where the script puts them.
            setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
            #if !os(Linux)
            setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
            #endif
            return .connection(descriptor)
        }
        return errno == EMFILE || errno == ENFILE ? .exhausted : .nothing
    }

    /// Makes a descriptor nonblocking and keeps it from child processes.
    static func prepare(_ descriptor: Int32) {
        // At once: a child process started before this call would inherit a connection, and keep it open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    private static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .ended
        }
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count = Foundation.send(descriptor, bytes.baseAddress, bytes.count, sendFlags)
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .ended
        }
    }

    /// Says that no more bytes follow; the other direction stays open.
    static func finishSending(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes so that the peer sees a reset (RST) in place of an orderly end.
    static func reset(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }
}

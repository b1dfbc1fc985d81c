#if os(Linux)
import Foundation
import Glibc
import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// A listening socket on 127.0.0.1 whose connections run a script, each on a thread of its own.
///
/// It knows nothing of HTTP beyond where a request's head ends, so that scripts can send what no server should.
final class RawServer: Sendable {
    let port: Int
    private let listener: Int32
    private let counts = Mutex((accepted: 0, open: 0, waiters: [CheckedContinuation<Void, Never>]()))

    /// Connections so far.
    var acceptedCount: Int { counts.withLock { $0.accepted } }

    init(_ script: @escaping @Sendable (RawConnection) -> Void) throws {
        (listener, port) = try Self.listen(backlog: 128)
        Thread { [listener, weak self] in
            // Closed here and not by `deinit`: a descriptor that is closed while this thread is about to accept may
            // already be another server's.
            defer { close(listener) }
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                guard let self else {
                    close(descriptor)
                    break
                }
                counts.withLock {
                    $0.accepted += 1
                    $0.open += 1
                }
                Thread {
                    let connection = RawConnection(descriptor)
                    script(connection)
                    connection.close()
                    self.noteClosed()
                }.start()
            }
        }.start()
    }

    // It ends `accept`.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Answers each request with the same bytes and keeps the connection.
    convenience init(answering response: String) throws {
        try self.init { connection in
            while connection.readHead() != nil { connection.write(response) }
        }
    }

    func url(_ path: String = "/") -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    /// Returns once every connection so far has ended.
    func waitUntilAllClosed() async {
        await withCheckedContinuation { continuation in
            let isDone = counts.withLock { counts in
                if counts.open > 0 { counts.waiters.append(continuation) }
                return counts.open == 0
            }
            if isDone { continuation.resume() }
        }
    }

    private func noteClosed() {
        let waiters = counts.withLock { counts -> [CheckedContinuation<Void, Never>] in
            counts.open -= 1
            guard counts.open == 0 else { return [] }
            defer { counts.waiters = [] }
            return counts.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    static func listen(backlog: Int32) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && Glibc.listen(descriptor, backlog) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard result else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// The descriptor of a connection to that port, or of an attempt, that is left alone.
    static func connect(port: Int) -> Int32 {
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_INET, Int32(type), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }
}

/// The server's end of a connection, used by the script's thread.
final class RawConnection {
    private let descriptor: Int32
    private var pending: [UInt8] = []
    private var isOpen = true

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The head of the next request with its empty line; `nil` if the client has closed.
    func readHead() -> String? {
        let end: [UInt8] = [13, 10, 13, 10]
        while true {
            if let range = pending.firstRange(of: end) {
                defer { pending.removeFirst(range.upperBound) }
                return String(decoding: pending[..<range.upperBound], as: UTF8.self)
            }
            guard receive() else { return nil }
        }
    }

    /// The next bytes of the request's body.
    func readBody(_ count: Int) -> [UInt8] {
        while pending.count < count, receive() {}
        defer { pending.removeFirst(min(count, pending.count)) }
        return Array(pending.prefix(count))
    }

    /// Reads until the client closes or breaks the connection.
    func waitForClose() { while receive() {} }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        pending += buffer[..<count]
        return true
    }

    /// - Returns: Whether all of it could be sent.
    @discardableResult func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// - Parameter onStall: Called when the client hasn't taken anything for that long; with it, that is noticed once.
    @discardableResult func write(
        _ bytes: [UInt8], stall: Duration = .zero, onStall: ((_ sent: Int) -> Void)? = nil
    ) -> Bool {
        var onStall = onStall
        var sent = 0
        if onStall != nil { setSendTimeout(stall) }
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN, let handler = onStall {
                onStall = nil
                setSendTimeout(.zero)
                handler(sent)
            } else {
                return false
            }
        }
        return true
    }

    /// Zero is for ever.
    private func setSendTimeout(_ limit: Duration) {
        var time = timeval(tv_sec: Int(limit.components.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Ends the connection with a reset instead of an orderly close.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(descriptor)
    }
}
#endif

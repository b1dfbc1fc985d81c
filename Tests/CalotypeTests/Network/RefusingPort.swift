import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A port of 127.0.0.1 that refuses connections, and that nobody else is given before it is released: it is bound, and
/// nobody listens.
struct RefusingPort {
    let number: Int
    private let descriptor: Int32

    init() throws {
        #if os(Linux)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let (descriptor, size) = (descriptor, socklen_t(MemoryLayout<sockaddr_in>.size))
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var length = size
                return bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        number = Int(UInt16(bigEndian: address.sin_port))
    }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(number)\(path)")! }

    /// To be called once.
    func release() { close(descriptor) }
}

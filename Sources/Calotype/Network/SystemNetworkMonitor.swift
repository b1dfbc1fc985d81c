import Foundation
import Synchronization

#if canImport(Network)
import Network
#endif

/// The system's own view of the network: Network framework on Apple platforms, the kernel's notices of interfaces,
/// addresses and routes (rtnetlink) on Linux.
///
/// On Linux a network is there while an interface other than loopback is up and running with an address that reaches
/// beyond its link; nothing is known of its cost. Where the kernel gives no notices, as in some sandboxes, it is always
/// there.
///
/// - Isolation: Any thread.
/// - Owns: one watch, from the first question or observation until the last reference goes.
public final class SystemNetworkMonitor: NetworkMonitor {
    /// The one that pipelines share unless they are given another.
    public static let shared = SystemNetworkMonitor()

    private let board = StatusBoard(NetworkStatus())
    private let watch = Mutex<NetworkWatch?>(nil)

    /// Makes a monitor that watches nothing yet.
    public init() {}

    /// The network now. On Apple platforms it is taken to be there until the system has said something.
    public var status: NetworkStatus {
        start()
        return board.status
    }

    /// See ``NetworkMonitor/observe(_:)``.
    public func observe(
        _ handler: @escaping @Sendable (_ previous: NetworkStatus, _ current: NetworkStatus) -> Void
    ) -> StatusObservation {
        start()
        return board.observe(handler)
    }

    private func start() {
        watch.withLock { watch in
            if watch == nil { watch = NetworkWatch(board) }
        }
    }
}

#if canImport(Network)
/// Follows the default path.
private final class NetworkWatch: Sendable {
    private let monitor = NWPathMonitor()

    init(_ board: StatusBoard<NetworkStatus>) {
        monitor.pathUpdateHandler = { path in
            board.set(
                NetworkStatus(
                    isAvailable: path.status == .satisfied, isConstrained: path.isConstrained,
                    isExpensive: path.isExpensive))
        }
        monitor.start(queue: DispatchQueue(label: "Calotype network monitor"))
    }

    deinit { monitor.cancel() }
}
#elseif os(Linux)
/// Looks at the interfaces whenever the kernel says that something has changed.
///
/// - Source: rtnetlink(7), netlink(7).
private final class NetworkWatch: Sendable {
    /// `nonisolated(unsafe)`: sources are safe on any thread, though Dispatch on Linux doesn't say so. Set once, here.
    private nonisolated(unsafe) let source: (any DispatchSourceRead)?

    init(_ board: StatusBoard<NetworkStatus>) {
        guard let descriptor = Self.subscribe() else {
            source = nil
            return
        }
        // After the subscription: no change comes between the look and the first notice.
        if let isAvailable = Self.isAvailable() { board.set(NetworkStatus(isAvailable: isAvailable)) }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "Calotype network monitor"))
        source.setEventHandler {
            // What the notices say isn't read: there may have been more than the socket holds. The look tells all.
            var buffer = [UInt8](repeating: 0, count: 8_192)
            while recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 || errno == ENOBUFS {}
            if let isAvailable = Self.isAvailable() { board.set(NetworkStatus(isAvailable: isAvailable)) }
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
        self.source = source
    }

    deinit { source?.cancel() }

    /// `struct sockaddr_nl` of linux/netlink.h, which Swift's module of the C library leaves out.
    private struct NetlinkAddress {
        var family = UInt16(AF_NETLINK)
        var padding: UInt16 = 0
        var port: UInt32 = 0
        /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR and RTMGRP_IPV6_ROUTE.
        var groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    }

    /// A socket that hears of changes; `nil` where that isn't allowed.
    private static func subscribe() -> Int32? {
        // The protocol is NETLINK_ROUTE.
        let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = NetlinkAddress()
        let isBound = withUnsafePointer(to: &address) { pointer in
            // The kernel reads a sockaddr_nl, of which this has the layout, whatever type C gives the pointer.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<NetlinkAddress>.size)) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Whether an interface leads beyond this machine and its link; `nil` if the interfaces can't be listed.
    private static func isAvailable() -> Bool? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            let flags = Int(entry.ifa_flags)
            guard flags & IFF_UP != 0, flags & IFF_RUNNING != 0, flags & IFF_LOOPBACK == 0, let address = entry.ifa_addr
            else { continue }
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                return true
            case AF_INET6:
                // fe80::/10 is there as soon as the link is.
                let isLinkLocal = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] == 0xfe && $0[1] & 0xc0 == 0x80 }
                }
                if !isLinkLocal { return true }
            default:
                continue
            }
        }
        return false
    }
}
#else
/// Nothing is known of the network here: it is always there.
private final class NetworkWatch: Sendable {
    init(_ board: StatusBoard<NetworkStatus>) {}
}
#endif

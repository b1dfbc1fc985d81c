#if os(Linux)
import Foundation

/// Where the system says that memory runs short: the kernel's pressure stall information.
///
/// The kernel is asked to report when tasks have stood still for want of memory: some of them for 150 ms of 2 s, which
/// is a warning; all of them at once for 200 ms of 2 s, which is critical. (systemd takes 200 ms of 2 s for its services'
/// own warnings.) The control group's figures come first, since a container may run short while the machine doesn't.
///
/// - Isolation: Any thread.
/// - Owns: a thread that sleeps in `poll`, and the descriptors; both end with it.
/// - Source: the kernel's Documentation/accounting/psi.rst. Without privileges the window is a multiple of 2 s.
final class MemoryPressureSource: Sendable {
    private static let triggers: [(level: MemoryPressure.Level, text: String)] = [
        (.critical, "full 200000 2000000"), (.warning, "some 150000 2000000"),
    ]

    private let poller: PriorityPoller

    /// Makes a source that calls `report` on a thread of its own, at most once in 2 s for each level; `nil` where the
    /// kernel doesn't say or may not be asked.
    ///
    /// - Parameter onEnd: Called on that thread once the descriptors are closed.
    init?(
        paths: [String] = MemoryPressureSource.paths, _ report: @escaping @Sendable (MemoryPressure.Level) -> Void,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        for path in paths {
            let watched = Self.triggers.compactMap { trigger in
                Self.register(trigger.text, at: path).map { (descriptor: $0, level: trigger.level) }
            }
            guard !watched.isEmpty else { continue }
            let levels = watched.map(\.level)
            let poller = PriorityPoller(watched.map(\.descriptor), { report(levels[$0]) }, onEnd: onEnd)
            guard let poller else { return nil }
            self.poller = poller
            return
        }
        return nil
    }

    /// Where the figures may be, the nearest first.
    static var paths: [String] {
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        return paths(controlGroups: groups)
    }

    /// - Parameter controlGroups: What `/proc/self/cgroup` says. The line of version 2 begins with "0::"; the root has no
    ///   figures of its own.
    static func paths(controlGroups: String) -> [String] {
        let group = controlGroups.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3) ?? "/"
        let own = group == "/" ? [] : ["/sys/fs/cgroup\(group)/memory.pressure"]
        return own + ["/proc/pressure/memory"]
    }

    /// - Returns: A descriptor that becomes ready with an exceptional condition, to be closed by the caller.
    private static func register(_ trigger: String, at path: String) -> Int32? {
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // The zero byte at the end is part of what is written.
        let length = trigger.utf8.count + 1
        guard trigger.withCString({ write(descriptor, $0, length) }) == length else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}

/// Waits on a thread of its own for exceptional conditions (`POLLPRI`) on descriptors.
///
/// - Isolation: Any thread.
/// - Owns: the descriptors, and a thread. Letting go of the poller closes a socket whose other end the thread listens to: it
///   closes the descriptors and ends. It also ends when every descriptor has failed.
final class PriorityPoller: Sendable {
    /// Closing it ends the thread.
    private let life: Int32

    /// - Parameters:
    ///   - descriptors: They belong to the poller from now on, and are closed in any case.
    ///   - onEvent: Called on the thread with the index of the descriptor. A condition that lasts is to be ended by it.
    ///   - onEnd: Called on the thread once everything is closed.
    init?(
        _ descriptors: [Int32], _ onEvent: @escaping @Sendable (Int) -> Void,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        var pair: [Int32] = [-1, -1]
        // A pipe would do; but this can be closed to child processes from the start.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            for descriptor in descriptors { close(descriptor) }
            return nil
        }
        life = pair[1]
        let end = pair[0]
        let thread = Thread {
            Self.poll(descriptors, until: end, onEvent)
            for descriptor in descriptors + [end] { close(descriptor) }
            onEnd()
        }
        thread.name = "calotype.memory"
        // It keeps nothing but a few words on its stack, and what caches need to trim themselves.
        thread.stackSize = 256 << 10
        thread.start()
    }

    deinit { close(life) }

    private static func poll(_ descriptors: [Int32], until end: Int32, _ onEvent: (Int) -> Void) {
        var watched = descriptors.map { pollfd(fd: $0, events: Int16(POLLPRI), revents: 0) }
        watched.append(pollfd(fd: end, events: 0, revents: 0))
        let endIndex = watched.count - 1
        while watched[..<endIndex].contains(where: { $0.fd >= 0 }) {
            let count = Foundation.poll(&watched, nfds_t(watched.count), -1)
            guard count > 0 else {
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                return
            }
            if watched[endIndex].revents != 0 { return }
            for index in 0..<endIndex where watched[index].fd >= 0 {
                let happened = Int32(watched[index].revents)
                if happened & POLLPRI != 0 { onEvent(index) }
                // Its control group has gone. A negative descriptor is passed over.
                if happened & (POLLERR | POLLNVAL | POLLHUP) != 0 { watched[index].fd = -1 }
            }
        }
    }
}
#endif

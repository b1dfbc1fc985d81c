import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("Memory pressure: caches give back what is easily made again")
struct MemoryPressureTests {
    private static func filled(_ cache: MemoryCache) -> MemoryCache {
        for number in 0..<10 { cache.insert(Item(number).rendition(cost: 10)) }
        return cache
    }

    @Test(
        "a warning lets half of what is held go, a critical one all of it; the limit stays",
        arguments: [(MemoryPressure.Level.warning, 50), (.critical, 0)])
    func levels(level: MemoryPressure.Level, kept: Int) {
        // A limit far above what is held: half of the limit would let nothing go.
        let cache = Self.filled(MemoryCache(costLimit: 10_000))
        cache.respondToMemoryPressure(level)
        #expect(cache.totalCost == kept)
        #expect(cache.costLimit == 10_000)
        // Again, of what is left.
        cache.respondToMemoryPressure(level)
        #expect(cache.totalCost == (level == .warning ? 20 : 0))
    }

    @Test("a cache without a limit gives memory back as well")
    func unlimited() {
        let cache = Self.filled(MemoryCache(costLimit: .max))
        cache.respondToMemoryPressure(.warning)
        #expect(cache.totalCost == 50)
    }

    @Test("what is on screen is still found after a critical warning, and held again once it is wanted")
    func shown() throws {
        let cache = MemoryCache(costLimit: 1_000)
        let shown = Item(1).rendition(cost: 10)
        cache.insert(shown)
        cache.insert(Item(2).rendition(cost: 10))
        cache.respondToMemoryPressure(.critical)
        #expect(cache.totalCost == 0)
        #expect(cache.find(Item(2).query, countsAsUse: true) == nil)
        #expect(cache.find(Item(1).query, countsAsUse: true)?.image === shown.image)
        #expect(cache.totalCost == 10)
    }

    @Test("every cache that lives is told; those that have gone leave nothing behind")
    func center() {
        let center = MemoryPressureCenter { _ in nil }
        let caches = (0..<3).map { _ in Self.filled(MemoryCache(reactsToMemoryPressure: false)) }
        for cache in caches { center.add(cache) }
        for _ in 0..<1_000 { center.add(MemoryCache(costLimit: 1, reactsToMemoryPressure: false)) }
        #expect(center.listenerCount <= 20)
        center.report(.warning)
        #expect(caches.map(\.totalCost) == [50, 50, 50])
        #expect(!center.isAvailable)
    }

    #if os(macOS) || os(Linux)
    @Test("a cache that reacts is told by the system's source, one that has opted out isn't")
    func registration() async {
        // In a process of its own: other tests' caches would be told as well.
        await #expect(processExitsWith: .success) {
            let reacting = Self.filled(MemoryCache())
            let deaf = Self.filled(MemoryCache(reactsToMemoryPressure: false))
            MemoryPressureCenter.shared.report(.critical)
            #expect(reacting.totalCost == 0)
            #expect(deaf.totalCost == 100)
        }
    }
    #endif

    @Test("a cache isn't kept by being told")
    func lifetime() {
        let center = MemoryPressureCenter { _ in nil }
        weak var gone: MemoryCache?
        do {
            let cache = MemoryCache()
            gone = cache
            center.add(cache)
        }
        #expect(gone == nil)
    }
}

#if os(Linux)
@Suite("Memory pressure on Linux: the kernel's figures")
struct MemoryPressureSourceTests {
    @Test(
        "the control group's figures come first, the machine's then",
        arguments: [
            ("0::/user.slice/app.scope\n", ["/sys/fs/cgroup/user.slice/app.scope/memory.pressure"]),
            ("4:memory:/a\n0::/b\n", ["/sys/fs/cgroup/b/memory.pressure"]), ("0::/\n", []), ("4:memory:/a\n", []),
            ("", []),
        ])
    func paths(groups: String, own: [String]) {
        #expect(MemoryPressureSource.paths(controlGroups: groups) == own + ["/proc/pressure/memory"])
    }

    @Test("where the kernel says nothing there is no source, and no descriptor stays open")
    func unavailable() {
        #expect(MemoryPressureSource(paths: []) { _ in } == nil)
        #expect(MemoryPressureSource(paths: ["/nowhere/memory.pressure", "/dev/null/x"]) { _ in } == nil)
    }

    /// Whether this process may ask the kernel. It may not in some containers, and on kernels without PSI.
    private static let isPermitted = MemoryPressureSource { _ in } != nil

    @Test(
        "the kernel takes our triggers, and the source ends with its last reference",
        .enabled(if: isPermitted, "The kernel has no pressure stall information, or this process may not ask for it."))
    func registration() async {
        await #expect(processExitsWith: .success) {
            func watchedCount() -> Int {
                let folder = "/proc/self/fd/"
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                return names.count {
                    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0)
                    return path?.hasSuffix("pressure/memory") == true
                }
            }
            let end = TestEvent()
            var source = MemoryPressureSource(paths: ["/proc/pressure/memory"], { _ in }, onEnd: end.fire)
            #expect(source != nil)
            #expect(watchedCount() == 2)
            source = nil
            await end.wait()
            #expect(watchedCount() == 0)
            #expect(MemoryPressure.isAvailable)
        }
    }

    @Test("the thread sleeps until an exceptional condition, and says whose it is, as often as it comes")
    func events() async throws {
        let pairs = [try UrgentPair(), try UrgentPair()]
        let events = AsyncStream<Int>.makeStream()
        let end = TestEvent()
        let receivers = pairs.map(\.receiver)
        var poller = PriorityPoller(receivers) { index in
            // The condition lasts until the urgent byte is read.
            var byte: UInt8 = 0
            let count = recv(receivers[index], &byte, 1, Int32(MSG_OOB))
            events.continuation.yield(count == 1 ? index : -1)
        } onEnd: {
            end.fire()
        }
        #expect(poller != nil)
        var iterator = events.stream.makeAsyncIterator()
        for index in [0, 1, 1, 0] {
            // Bytes that aren't urgent wake nobody.
            #expect(pairs[index].send(isUrgent: false))
            #expect(pairs[index].send(isUrgent: true))
            #expect(await iterator.next() == index)
        }
        poller = nil
        await end.wait()
        // Closed by the poller: the other ends see it.
        for pair in pairs { #expect(pair.isClosedByReceiver) }
    }

    @Test("a descriptor that fails is left out; once all have, the thread ends and closes them")
    func failures() async throws {
        let pair = try UrgentPair()
        let gone = try UrgentPair()
        let (heard, end) = (TestEvent(), TestEvent())
        let receiver = pair.receiver
        let poller = PriorityPoller([gone.receiver, receiver]) { index in
            var byte: UInt8 = 0
            if index == 1, recv(receiver, &byte, 1, Int32(MSG_OOB)) == 1 { heard.fire() }
        } onEnd: {
            end.fire()
        }
        gone.reset()
        #expect(pair.send(isUrgent: true))
        await heard.wait()
        pair.reset()
        await end.wait()
        withExtendedLifetime(poller) {}
    }
}

/// Two ends of a TCP connection: urgent data on it is an exceptional condition, as the kernel's report is.
private final class UrgentPair {
    struct Failure: Error {
        var errno: Int32
    }

    /// Belongs to whoever is given it.
    let receiver: Int32
    private var sender: Int32

    init() throws {
        func check(_ result: Int32) throws -> Int32 {
            if result < 0 { throw Failure(errno: errno) }
            return result
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = try check(socket(AF_INET, kind, 0))
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        sender = try check(socket(AF_INET, kind, 0))
        let (sender, size) = (sender, length)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = try check(bind(listener, address, size))
                _ = try check(listen(listener, 1))
                _ = try check(getsockname(listener, address, &length))
                _ = try check(connect(sender, address, size))
            }
        }
        receiver = try check(accept(listener, nil, nil))
    }

    deinit { if sender >= 0 { close(sender) } }

    func send(isUrgent: Bool) -> Bool {
        var byte: UInt8 = 1
        let flags = Int32(MSG_NOSIGNAL) | (isUrgent ? Int32(MSG_OOB) : 0)
        return Foundation.send(sender, &byte, 1, flags) == 1
    }

    /// Breaks the connection, which is an error at the other end.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(sender, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close(sender)
        sender = -1
    }

    /// Whether the other end is closed, with bytes unread there or not.
    var isClosedByReceiver: Bool {
        var byte: UInt8 = 0
        return recv(sender, &byte, 1, Int32(MSG_NOSIGNAL)) <= 0
    }
}
#endif

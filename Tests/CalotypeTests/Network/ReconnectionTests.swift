import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("Reconnection: who failed for want of a connection hears when it may be back, and misses nothing")
struct ReconnectionTests {
    static let url = URL(string: "http://img.example.com/a.png")!
    static let other = URL(string: "http://other.example.com/a.png")!
    static let png = TestImages.solidPNG(width: 8, height: 8, color: .green)

    private func fixture(
        _ steps: [ScriptedTransport.Step], network: ManualNetworkMonitor = ManualNetworkMonitor(),
        retry: RetryPolicy = .none
    ) throws -> (Fixture, ScriptedTransport) {
        let transport = ScriptedTransport(steps)
        let fixture = try Fixture {
            $0.transport = transport
            $0.network = network
            $0.retry = retry
        }
        return (fixture, transport)
    }

    @Test("what failed offline loads once the network is back, in the same pipeline")
    func offline() async throws {
        let network = ManualNetworkMonitor(NetworkStatus(isAvailable: false))
        let (fixture, _) = try fixture([.fail(.hostNotFound), .respond(200, [:], Self.png)], network: network)
        let moment = fixture.pipeline.reconnectionMoment
        do {
            _ = try await fixture.pipeline.image(for: Self.url)
            Issue.record("It loaded.")
        } catch let error as ImageError {
            #expect(error.isConnectivityFailure)
        }
        async let reconnected: Void = fixture.pipeline.waitForReconnection(of: Self.url, since: moment)
        network.status.isAvailable = true
        try await reconnected
        #expect(try await fixture.pipeline.image(for: Self.url).bitmap.pixel(0, 0) == .green)
    }

    @Test("a server that wasn't there, and then is: another load's success tells the one that failed")
    func server() async throws {
        let port = try RefusingPort()
        let fixture = try Fixture()
        let url = port.url("/a")
        let moment = fixture.pipeline.reconnectionMoment
        #expect(await failure { try await fixture.pipeline.image(for: url) } == .cannotConnect)
        port.release()
        let server = try LoopbackServer(port: port.number)
        server.fallback { _ in .ok(Self.png, type: "image/png") }
        async let reconnected: Void = fixture.pipeline.waitForReconnection(of: url, since: moment)
        _ = try await fixture.pipeline.image(for: server.url("/b"))
        try await reconnected
        _ = try await fixture.pipeline.image(for: url)
    }

    @Test("what has happened between the failure and the wait ends the wait at once")
    func nothingMissed() async throws {
        let network = ManualNetworkMonitor(NetworkStatus(isAvailable: false))
        let (fixture, _) = try fixture([.fail(.cannotConnect), .respond(404)], network: network)
        let first = fixture.pipeline.reconnectionMoment
        _ = await failure { try await fixture.pipeline.image(for: Self.url) }
        // Any answer will do.
        #expect(await failure { try await fixture.pipeline.image(for: Self.url) } == .status(404))
        try await fixture.pipeline.waitForReconnection(of: Self.url, since: first)
        let second = fixture.pipeline.reconnectionMoment
        network.status.isAvailable = true
        try await fixture.pipeline.waitForReconnection(of: Self.url, since: second)
        try await fixture.pipeline.waitForReconnection(of: nil, since: second)
    }

    @Test("neither another host's success, nor an event of before, nor the loss of the network ends a wait")
    func unrelated() async throws {
        let network = ManualNetworkMonitor()
        let reconnection = Reconnection(network)
        _ = reconnection.noteFailure(at: Self.url)
        _ = reconnection.noteFailure(at: Self.other)
        reconnection.noteSuccess(at: Self.url)
        let moment = reconnection.moment
        // Whether it happens before the wait or during it makes no difference.
        let wait = Task { try await reconnection.wait(for: Self.url, since: moment) }
        reconnection.noteSuccess(at: Self.other)
        network.status.isAvailable = false
        network.status.isConstrained = true
        #expect(reconnection.moment > moment)
        let late = Task { try await reconnection.wait(for: Self.url, since: moment) }
        wait.cancel()
        late.cancel()
        // A wait that had ended well would say so.
        await #expect(throws: CancellationError.self) { try await wait.value }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test("a wait for no URL ends when the network comes, and not with a success")
    func networkAlone() async throws {
        let network = ManualNetworkMonitor(NetworkStatus(isAvailable: false))
        let reconnection = Reconnection(network)
        let moment = reconnection.noteFailure(at: Self.url)
        reconnection.noteSuccess(at: Self.url)
        let early = Task { try await reconnection.wait(for: nil, since: moment) }
        early.cancel()
        await #expect(throws: CancellationError.self) { try await early.value }
        async let wait: Void = reconnection.wait(for: nil, since: moment)
        network.status.isAvailable = true
        try await wait
    }

    @Test("a success on an origin where nothing has failed isn't recorded")
    func untroubled() {
        let reconnection = Reconnection(ManualNetworkMonitor())
        let moment = reconnection.moment
        reconnection.noteSuccess(at: Self.url)
        #expect(reconnection.moment == moment)
    }

    @Test("recoveries beyond what is remembered singly count as possible: better one try too many than none")
    func manyOrigins() async throws {
        let reconnection = Reconnection(ManualNetworkMonitor())
        let moment = reconnection.moment
        for number in 0...1_100 {
            let url = try #require(URL(string: "http://host\(number)/"))
            _ = reconnection.noteFailure(at: url)
            reconnection.noteSuccess(at: url)
        }
        try await reconnection.wait(for: URL(string: "http://host0/"), since: moment)
        try await reconnection.wait(for: URL(string: "http://host1100/"), since: moment)
    }

    @Test(
        "what keeps off a network waits until that may be used, whoever else gets answers over it, and isn't retried",
        arguments: [
            NetworkStatus(isConstrained: true), NetworkStatus(isExpensive: true),
            NetworkStatus(isAvailable: false, isConstrained: true),
        ])
    func restricted(_ status: NetworkStatus) async throws {
        let network = ManualNetworkMonitor(status)
        let transport = ScriptedTransport([.respond(200, [:], Self.png)])
        let fixture = try Fixture {
            $0.transport = transport
            $0.network = network
            $0.allowsConstrainedNetwork = false
            $0.allowsExpensiveNetwork = false
            $0.retry = RetryPolicy(attemptLimit: 3, baseDelay: .zero)
        }
        let moment = fixture.pipeline.reconnectionMoment
        do {
            _ = try await fixture.pipeline.image(for: Self.url)
            Issue.record("It loaded.")
        } catch let error as ImageError {
            #expect(error.reason == .networkRestricted && error.isConnectivityFailure)
        }
        #expect(fixture.events.all.allSatisfy { if case .retrying = $0 { false } else { true } })
        let reconnection = fixture.pipeline.loader.http.reconnection
        // Another load's success on the same origin, before the wait and during it; and a change for the worse.
        let neighbour = try #require(URL(string: "http://img.example.com/b.png"))
        _ = reconnection.noteFailure(at: neighbour)
        reconnection.noteSuccess(at: neighbour)
        async let wait: Void = fixture.pipeline.waitForReconnection(of: Self.url, since: moment)
        try await waitUntil { reconnection.waiterCount == 1 }
        _ = reconnection.noteFailure(at: neighbour)
        reconnection.noteSuccess(at: neighbour)
        network.status.isConstrained = true
        network.status.isExpensive = true
        #expect(reconnection.waiterCount == 1)
        network.status = NetworkStatus()
        try #require(reconnection.waiterCount == 0)
        try await wait
        #expect(transport.requests.isEmpty)
        #expect(try await fixture.pipeline.image(for: Self.url).bitmap.pixel(0, 0) == .green)
        // From here on it counts as any other.
        let later = fixture.pipeline.reconnectionMoment
        _ = reconnection.noteFailure(at: Self.url)
        reconnection.noteSuccess(at: Self.url)
        try await fixture.pipeline.waitForReconnection(of: Self.url, since: later)
    }

    @Test("a wait ends with each restriction that goes, and not with one that comes or with the network")
    func easing() async throws {
        let network = ManualNetworkMonitor(NetworkStatus(isConstrained: true, isExpensive: true))
        let reconnection = Reconnection(network)
        for status in [
            NetworkStatus(isExpensive: true), NetworkStatus(isConstrained: true), NetworkStatus(),
        ] {
            let moment = reconnection.noteFailure(at: Self.url)
            network.status = status
            try #require(reconnection.moment > moment)
            try await reconnection.wait(for: nil, since: moment)
        }
        let moment = reconnection.moment
        network.status = NetworkStatus(isConstrained: true)
        network.status = NetworkStatus(isAvailable: false)
        #expect(reconnection.moment == moment)
    }

    @Test("the network's return ends the wait before a retry; Retry-After is waited out")
    func backoff() async throws {
        let network = ManualNetworkMonitor(NetworkStatus(isAvailable: false))
        let (fixture, transport) = try fixture(
            [.fail(.connectionLost), .respond(503, ["Retry-After": "5"]), .respond(200, [:], Self.png)],
            network: network, retry: RetryPolicy(attemptLimit: 3, baseDelay: .seconds(8)))
        async let image = fixture.pipeline.image(for: Self.url)
        try await fixture.clock.waitForSleepers(count: 1)
        #expect(network.observerCount == 1)
        network.status.isAvailable = true
        await fixture.events.wait { if case .retrying(_, _, attempt: 3, _) = $0 { true } else { false } }
        try await fixture.clock.waitForSleepers(count: 1)
        #expect(fixture.clock.requestedSleeps == [.seconds(8), .seconds(15)])
        #expect(transport.requests.count == 2)
        network.status.isAvailable = false
        network.status.isAvailable = true
        #expect(fixture.clock.sleeperCount == 1)
        fixture.clock.advance(by: .seconds(15))
        _ = try await image
        #expect(transport.requests.count == 3)
    }

    @Test("the monitor is left alone until something fails")
    func lazy() async throws {
        let network = ManualNetworkMonitor()
        let (fixture, _) = try fixture([.respond(200, [:], Self.png), .fail(.timedOut)], network: network)
        _ = try await fixture.pipeline.image(for: Self.url)
        #expect(network.observerCount == 0)
        _ = await failure { try await fixture.pipeline.image(for: Self.other) }
        #expect(network.observerCount == 1)
    }

    @Test("an observer hears each change once, in order, until it lets go")
    func board() {
        let network = ManualNetworkMonitor()
        let changes = Mutex<[Bool]>([])
        var observation: StatusObservation? = network.observe { previous, current in
            #expect(previous != current)
            changes.withLock { $0.append(current.isAvailable) }
        }
        network.status.isAvailable = false
        network.status.isAvailable = false
        network.status.isAvailable = true
        #expect(changes.withLock { $0 } == [false, true])
        withExtendedLifetime(observation) {}
        observation = nil
        network.status.isAvailable = false
        #expect(changes.withLock { $0 }.count == 2)
        #expect(network.observerCount == 0)
    }

    @Test("the system's monitor answers at once, and can be let go")
    func system() {
        let monitor = SystemNetworkMonitor()
        let observation = monitor.observe { _, _ in }
        #if os(Linux)
        #expect(!monitor.status.isConstrained && !monitor.status.isExpensive)
        #expect(monitor.status.isAvailable == SystemNetworkMonitor().status.isAvailable)
        #endif
        withExtendedLifetime(observation) {}
    }
}

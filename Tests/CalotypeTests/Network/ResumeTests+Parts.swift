import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

extension ResumeTests {
    struct WrongPart: Sendable, CustomTestStringConvertible {
        let title: String
        let fields: HTTPFields
        var body = ResumeTests.file.suffix(from: ResumeTests.half)

        var testDescription: String { title }

        static func range(_ title: String, _ range: String?, _ fields: HTTPFields = [:]) -> WrongPart {
            var fields = fields
            fields["Content-Range"] = range
            return WrongPart(title: title, fields: fields)
        }

        static let all: [WrongPart] = {
            let (half, count) = (ResumeTests.half, ResumeTests.file.count)
            return [
                range("no Content-Range", nil),
                range("another unit", "seconds \(half)-\(count - 1)/\(count)"),
                range("no numbers", "bytes rest"),
                range("no length", "bytes \(half)-\(count - 1)"),
                range("a sign", "bytes +\(half)-\(count - 1)/\(count)"),
                range("a number beyond all", "bytes \(half)-99999999999999999999/999999999999999999999"),
                range("an unsatisfied range", "bytes */\(count)"),
                range("two ranges", "bytes \(half)-\(count - 1)/\(count), bytes 0-1/\(count)"),
                range("an earlier part", "bytes \(half - 1)-\(count - 2)/\(count)"),
                range("a later part", "bytes \(half + 1)-\(count)/\(count + 1)"),
                range("the beginning", "bytes 0-\(count - half - 1)/\(count)"),
                range("a longer body", "bytes \(half)-\(count - 1)/\(count + 1)"),
                range("a shorter body", "bytes \(half)-\(count - 2)/\(count - 1)"),
                range("an end beyond the body", "bytes \(half)-\(count)/\(count)"),
                range("an end before its beginning", "bytes \(half)-\(half - 1)/\(count)"),
                range("a range of another length than the part", "bytes \(half)-\(half + 9)/\(count)"),
                range("another tag", "bytes \(half)-\(count - 1)/\(count)", ["ETag": "\"v2\""]),
                range("the same tag, but weak", "bytes \(half)-\(count - 1)/\(count)", ["ETag": "W/\"v1\""]),
                range("an encoding", "bytes \(half)-\(count - 1)/\(count)", ["Content-Encoding": "gzip"]),
            ]
        }()
    }

    @Test("a part that isn't the rest is never joined: the next attempt asks for everything", arguments: WrongPart.all)
    func wrongPart(_ row: WrongPart) async throws {
        let fixture = try fixture()
        let resource = resource()
        fixture.server.route("/a") { request in
            switch request.number {
            case 1: resource.response(to: request).truncated(afterBodyBytes: Self.half)
            case 2: .status(206, fields: row.fields, body: row.body)
            default: resource.response(to: request)
            }
        }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-", nil])
        #expect(await stored(fixture) == Self.file)
    }

    @Test("without an attempt left, a part that isn't the rest is the caller's failure", arguments: WrongPart.all)
    func wrongPartAtLast(_ row: WrongPart) async throws {
        let fixture = try fixture(attempts: 2)
        let resource = resource()
        fixture.server.route("/a") { request in
            request.number == 1
                ? resource.response(to: request).truncated(afterBodyBytes: Self.half)
                : .status(206, fields: row.fields, body: row.body)
        }
        guard
            case .unexpectedPart? = await failure({
                try await fixture.pipeline.image(for: fixture.server.url("/a"))
            })
        else {
            Issue.record("It wasn't refused for that reason.")
            return
        }
        #expect(fixture.server.requestCount == 2)
        #expect(try await fixture.store.usage().responseCount == 0)
    }

    @Test(
        "the rest is asked for where the beginning came from, whatever redirects lead there, unless only a signature differs",
        arguments: [
            (["/a?v=1", "/a?v=1"], true), (["/a?v=1", "/a?v=2"], false), (["/b", "/a"], false), (["", "/a"], false),
            (["/b", ""], false), (["", ""], true),
            (["/a?Key-Pair-Id=k&Signature=s1&Expires=1", "/a?Signature=s2&Key-Pair-Id=k&Expires=2"], true),
        ])
    func redirected(_ targets: [String], isContinued: Bool) async throws {
        let fixture = try fixture()
        let resource = resource()
        let visits = Counter()
        let asked = Mutex<[String?]>([])
        let file: @Sendable (LoopbackServer.Request) -> LoopbackServer.Response = { request in
            let response = resource.response(to: request)
            let count = asked.withLock { asked in
                asked.append(request.fields["Range"])
                return asked.count
            }
            return count == 1 ? response.truncated(afterBodyBytes: Self.half) : response
        }
        fixture.server.route("/old") { request in
            let target = targets[visits.increment() - 1]
            return target.isEmpty ? file(request) : .redirect(to: target)
        }
        fixture.server.route("/a", file)
        fixture.server.route("/b", file)
        _ = try await fixture.pipeline.image(for: fixture.server.url("/old"))
        #expect(asked.withLock { $0 } == [nil, isContinued ? "bytes=\(Self.half)-" : nil])
        #expect(await stored(fixture, "/old") == Self.file)
    }

    @Test("more bytes than the part has are refused before they are joined")
    func longPart() async throws {
        let fixture = try fixture()
        let resource = resource()
        fixture.server.route("/a") { request in
            let last = Self.file.count - 1
            return switch request.number {
            case 1: resource.response(to: request).truncated(afterBodyBytes: Self.half)
            case 2:
                LoopbackServer.Response.status(
                    206, fields: ["Content-Range": "bytes \(Self.half)-\(last)/\(last + 1)"],
                    body: Self.file.suffix(from: Self.half) + Data([0])
                ).framed(.chunked(sizes: []))
            default: resource.response(to: request)
            }
        }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-", nil])
        #expect(await stored(fixture) == Self.file)
    }

    @Test("a part that is shorter than the rest is joined, and the rest of it asked for")
    func shortPart() async throws {
        let fixture = try fixture()
        let resource = resource()
        fixture.server.route("/a") { request in
            request.number == 1
                ? resource.response(to: request).truncated(afterBodyBytes: Self.half)
                : request.number > 2
                    ? resource.response(to: request)
                    : .status(
                        206,
                        fields: ["Content-Range": "bytes \(Self.half)-\(Self.half + 99)/*"],
                        body: Self.file[Self.half..<Self.half + 100])
        }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-", "bytes=\(Self.half + 100)-"])
        #expect(await stored(fixture) == Self.file)
    }

    @Test("a new body that broke off leaves no place open in the store once the stored one is confirmed after all")
    func confirmedAfterAll() async throws {
        let (half, count) = (Self.half, Self.file.count)
        let old = TestImages.solidPNG(width: 8, height: 8, color: .green)
        let head: HTTPFields = ["ETag": "\"v2\"", "Content-Length": "\(count)"]
        let refusals: [ScriptedTransport.Step] = [.respond(416), .respond(206, [:], Self.file.suffix(from: half))]
        for refusal in refusals {
            let store = WriterCountingStore()
            let transport = ScriptedTransport([
                .respond(200, ["ETag": "\"v1\""], old),
                .stream(200, head, [Self.file.prefix(half / 2), Self.file[half / 2..<half]]),
                refusal, .respond(304),
            ])
            let fixture = try fixture(attempts: 4) {
                $0.transport = transport
                $0.store = store
            }
            var request = ImageRequest(url: URL(string: "http://img.example.com/a.png")!)
            _ = try await fixture.pipeline.data(for: request)
            request.cachePolicy = .revalidate
            #expect(try await fixture.pipeline.data(for: request) == old)
            #expect(transport.requests.map { $0.fields["If-None-Match"] } == [nil, "\"v1\"", nil, "\"v1\""])
            #expect(store.openedCount.value == 1 && store.abortedCount.value == 1)
        }
    }
}

/// A store that counts writers which are opened, and those which are aborted in so many words.
private final class WriterCountingStore: ResponseStore {
    let openedCount = Counter()
    let abortedCount = Counter()
    private let store = MemoryStore()

    private final class Writer: ResponseWriter {
        private let writer: any ResponseWriter
        private let abortedCount: Counter

        init(_ writer: any ResponseWriter, _ abortedCount: Counter) {
            self.writer = writer
            self.abortedCount = abortedCount
        }

        func append(_ bytes: Data) async throws { try await writer.append(bytes) }
        func commit() async throws -> StoredResponse? { try await writer.commit() }
        func abort() async {
            abortedCount.increment()
            await writer.abort()
        }
    }

    func writer(
        for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> any ResponseWriter {
        openedCount.increment()
        let writer = try await store.writer(
            for: key, resource: resource, metadata: metadata, replacing: replaced, since: epoch)
        return Writer(writer, abortedCount)
    }

    func add(
        _ body: Data, for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> StoredResponse? {
        try await store.add(body, for: key, resource: resource, metadata: metadata, replacing: replaced, since: epoch)
    }

    func epoch() -> StoreEpoch { store.epoch() }
    func responses(for key: FetchKey) async throws -> [StoredResponse] { try await store.responses(for: key) }
    func body(of id: StoredResponse.ID) async throws -> StoredBody? { try await store.body(of: id) }
    func updateMetadata(of id: StoredResponse.ID, to metadata: Data) async throws -> Bool {
        try await store.updateMetadata(of: id, to: metadata)
    }
    func remove(_ id: StoredResponse.ID) async throws { try await store.remove(id) }
    func remove(_ resource: ResourceID) async throws { try await store.remove(resource) }
    func removePartition(_ partition: Partition) async throws { try await store.removePartition(partition) }
    func removeAll() async throws { try await store.removeAll() }
    func usage() async throws -> StoreUsage { try await store.usage() }
}

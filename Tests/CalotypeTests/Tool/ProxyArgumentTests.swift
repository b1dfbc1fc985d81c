import Calotype
import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeTool

@Suite("calo http-cache-proxy: arguments")
struct ProxyArgumentTests {
    private static let valid = ["--listen", "127.0.0.1:8080", "--origin", "http://h"]

    @Test("where to listen and whom to ask are needed, the rest isn't")
    func options() throws {
        let options = try ProxyOptions(["--listen=localhost:0", "--origin", "https://h:8443/", "--limit", "2", "--log"])
        #expect(options.port == 0 && options.origin == "https://h:8443")
        #expect(options.storeByteLimit == 2 << 20 && options.printsLog)
        #expect(try ProxyOptions(Self.valid + ["--store", "/tmp/responses"]).makeStore() is SQLiteStore)
        let plain = try ProxyOptions(Self.valid)
        #expect(plain.makeStore() is MemoryStore)
        #expect(plain.port == 8080 && plain.origin == "http://h" && !plain.printsLog)
    }

    @Test(
        "what makes no sense is refused",
        arguments: [
            [], ["--listen", "127.0.0.1:1"], ["--origin", "http://h"],
            ["--listen", "0.0.0.0:1", "--origin", "http://h"],
            ["--listen", "127.0.0.1", "--origin", "http://h"], ["--listen", "127.0.0.1:65536", "--origin", "http://h"],
            ["--listen", "127.0.0.1:-1", "--origin", "http://h"], ["--listen", "127.0.0.1:1", "--origin", "ftp://h"],
            ["--listen", "127.0.0.1:1", "--origin", "http://h/path"],
            ["--listen", "127.0.0.1:1", "--origin", "http://"],
            ["--listen", "127.0.0.1:1", "--origin", "http://u:p@h"], ["--listen", "127.0.0.1:1", "--origin", "h:80"],
            valid + ["--store", ""], valid + ["--limit", "0"], valid + ["more"],
        ])
    func refused(_ arguments: [String]) {
        #expect(throws: UsageError.self) { _ = try ProxyOptions(arguments) }
    }

    @Test("it says where it listens, answers, logs why, and ends at an interrupt")
    func process() async throws {
        let origin = try LoopbackServer()
        origin.respond(to: "/a", with: .ok(Data("body".utf8), fields: ["Cache-Control": "max-age=600"]))
        let running = try ToolProcess.Running(
            ["http-cache-proxy", "--listen", "127.0.0.1:0", "--origin", "http://127.0.0.1:\(origin.port)", "--log"],
            input: "")
        let first = await running.firstOutput()
        let port = try #require(
            first.split(separator: " ").first?.split(separator: ":").last.flatMap { Int($0) }, "\(first)")
        for reason in ["nothing stored; passed on and stored", "fresh: age "] {
            let client = try RawClient(port: port)
            #expect(try client.exchange("GET", "/a").text == "body")
            // The line comes after the answer, so it is waited for.
            #expect(await running.firstOutput().hasPrefix("GET /a 200 \(reason)"))
        }
        running.interrupt()
        let ended = await running.end()
        #expect(ended.status == 130)
        #expect(origin.requestCount == 1)
    }

    @Test("a port that is taken is named")
    func portTaken() async throws {
        let origin = try LoopbackServer()
        let result = try await ToolProcess(
            "http-cache-proxy", "--listen", "127.0.0.1:\(origin.port)", "--origin", "http://127.0.0.1:1")
        #expect(result.status == 1 && result.errors.contains("Address already in use"))
    }
}

import Calotype
import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeTool

@Suite("calo load, of a thousand sources", .timeLimit(.minutes(5)))
struct ToolManyTests {
    private static let count = 1_000
    private let png = TestImages.solidPNG(width: 8, height: 6, color: .red)

    private func list(of server: LoopbackServer, in folder: TemporaryFolder) throws -> String {
        let lines = (1...Self.count).map { server.url("/\($0)").absoluteString }
        return "@" + (try folder.write(Data(lines.joined(separator: "\n").utf8), to: "list"))
    }

    @Test("a folder, on a terminal: a bar says how far it is, and then goes")
    func folder() async throws {
        let folder = try TemporaryFolder()
        for index in 1...Self.count { try folder.write(png, to: "in/\(index % 10)/\(index).png") }
        let running = try ToolProcess.Running(
            ["load", folder.path + "/in", "--size", "4x", "-o", folder.path + "/out"], terminal: true)
        let run = await running.end()
        #expect(run.status == 0)
        #expect(run.lines.count == Self.count + 2)
        #expect(
            run.lines.last?.hasPrefix("1000 loaded, 1000 written; 1000 source; ") == true, "\(run.lines.last ?? "")")
        #expect(folder.names(in: "out").count == Self.count)
        let bars = run.errors.split(separator: "\r")
        // A fast machine is done before a pace can be told: that has tests of its own.
        let bar = /\[.*#.*-.*\] \d+\/1,000(  [\d.,]+\/s  0:\d\d left)?  [\d,]+ bytes/
        #expect(bars.contains { $0.contains(bar) }, "\(bars.last ?? "")")
        #expect(run.errors.hasSuffix("\r\u{1B}[K"))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test("a second run is served from the store")
    func secondRun() async throws {
        let server = try LoopbackServer()
        server.route(prefix: "/") { [png] _ in .ok(png, type: "image/png", fields: ["Cache-Control": "max-age=600"]) }
        let folder = try TemporaryFolder()
        let arguments = ["load", "--store", folder.path + "/store", try list(of: server, in: folder)]
        let first = try await ToolProcess(arguments)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.lines.last?.hasPrefix("1000 loaded; 1000 network; ") == true)
        let second = try await ToolProcess(arguments)
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.lines.last?.hasPrefix("1000 loaded; 1000 storage; ") == true)
        #expect(second.lines.last?.contains(" 0 of them from the network") == true)
        #expect(server.requestCount == Self.count)
    }

    @Test(
        "an interrupt ends the loads under way, reports what is done, and leaves nothing half written",
        arguments: [false, true])
    func interrupt(onTerminal: Bool) async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.route(prefix: "/") { [png] request in
            let response = LoopbackServer.Response.ok(png, type: "image/png")
            return request.number <= 50 ? response : response.gated(gate, afterBodyBytes: 20)
        }
        let folder = try TemporaryFolder()
        let arguments = ["load", "--jobs", "4", "-o", folder.path + "/out", try list(of: server, in: folder)]
        let running = try ToolProcess.Running(arguments, terminal: onTerminal)
        try await gate.waitUntilHeld(count: 4)
        running.interrupt()
        let run = await running.end()
        #expect(run.status == 130)
        #expect(run.lines.count == Self.count + 2)
        #expect(run.lines.last?.hasPrefix("50 loaded, 950 cancelled, 50 written; 50 network; ") == true)
        #expect(run.errors.contains("interrupted: 50 of 1000 were loaded."))
        #expect(server.requestCount == 54)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out")
        #expect(names.count == 50 && names.allSatisfy { $0.hasSuffix("-127.0.0.1.png") })
        let sizes = try names.map { try folder.data("out/\($0)").count }
        #expect(Set(sizes).count == 1)
    }
}

@Suite("How fast work goes")
struct ProgressPaceTests {
    private func pace(_ marks: [(Double, Double)]) -> ProgressPace {
        var pace = ProgressPace()
        for (time, done) in marks { pace.note(done, at: .seconds(time)) }
        return pace
    }

    @Test("nothing is said before it can be told")
    func tooSoon() {
        #expect(pace([]).text(of: 10) == "")
        #expect(pace([(0, 0), (0.2, 5)]).text(of: 10) == "")
        #expect(pace([(0, 0), (2, 0)]).text(of: 10) == "")
    }

    @Test("the rate and the time left follow from what was done lately")
    func text() {
        #expect(pace([(0, 0), (2, 5)]).text(of: 10) == "2.5/s  0:02 left")
        #expect(pace([(0, 0), (1, 99)]).text(of: 9_999) == "99/s  1:40 left")
        #expect(pace([(0, 0), (1, 12_345)]).text(of: 12_345) == "12,345/s  0:00 left")
        #expect(pace([(0, 0), (1, 0.5)]).text(of: 2_000) == "0.5/s  1:06:39 left")
    }

    @Test("what was done ten seconds ago and before doesn't count")
    func window() {
        var pace = ProgressPace()
        for second in 0...10 { pace.note(Double(second), at: .seconds(second)) }
        for second in 1...10 { pace.note(Double(10 + 100 * second), at: .seconds(10 + second)) }
        #expect(pace.rate == 100)
    }
}

import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("The recorder's trace: what Perfetto opens")
struct RecorderTraceTests {
    struct Trace: Decodable {
        struct Event: Decodable {
            struct Value: Decodable {
                let text: String

                init(from decoder: any Decoder) throws {
                    let container = try decoder.singleValueContainer()
                    text = try (try? container.decode(String.self)) ?? String(container.decode(Int64.self))
                }
            }

            let name: String
            let ph: String
            let pid: Int
            let tid: Int
            let ts: Int64
            let dur: Int64?
            let cat: String?
            let s: String?
            let args: [String: Value]?

            var end: Int64 { ts + (dur ?? 0) }
        }

        let traceEvents: [Event]
        let displayTimeUnit: String
    }

    private func trace() async throws -> (Trace, [LoadReport]) {
        let run = try RecordedRun()
        try await run.run()
        return (try JSONDecoder().decode(Trace.self, from: run.recorder.trace()), run.reports)
    }

    @Test("every load is a slice with its report, and every lane has a name")
    func loads() async throws {
        let (trace, reports) = try await trace()
        let slices = trace.traceEvents.filter { $0.ph == "X" && $0.pid == 1 && $0.cat != "stage" }
        #expect(slices.count == reports.count + 2)
        for report in reports {
            let slice = try #require(
                slices.first { $0.name.hasPrefix("#\(report.number) ") && $0.cat == report.layer.rawValue })
            #expect(slice.dur == report.duration.microseconds)
            #expect(slice.args?["reason"]?.text == report.explanation)
            #expect(slice.args?["receivedBytes"]?.text == "\(report.receivedByteCount)")
        }
        let processes = trace.traceEvents.filter { $0.name == "process_name" }.map { $0.args?["name"]?.text }
        #expect(processes == ["Loads", "Connections", "Decoders", "Caches"])
        let named = Set(trace.traceEvents.filter { $0.name == "thread_name" }.map { [$0.pid, $0.tid] })
        let used = Set(trace.traceEvents.filter { $0.ph == "X" }.map { [$0.pid, $0.tid] })
        #expect(named == used)
        #expect(trace.displayTimeUnit == "ms")
    }

    @Test("a trace has each URL once, however long it is and however many stages its load has")
    func longURLs() async throws {
        let recorder = PipelineRecorder()
        let fixture = try Fixture { $0.recorder = recorder }
        let png = TestImages.solidPNG(width: 8, height: 8, color: .red)
        fixture.server.fallback { _ in .ok(png, type: "image/png") }
        for index in 0..<10 {
            let url = fixture.server.url("/\(index)" + String(repeating: "x", count: 7_900))
            _ = try await fixture.pipeline.image(for: ImageRequest(url: url, size: .pixels(4, 3)))
        }
        #expect(recorder.trace(showsURLs: true).count < 10 * (7_900 + 6_000))
        #expect(recorder.page(showsURLs: true).count - PipelineRecorder().page().count < 10 * (7_900 + 2_000))
    }

    @Test("in one lane slices lie beside or within one another")
    func nesting() async throws {
        let (trace, _) = try await trace()
        let lanes = Dictionary(grouping: trace.traceEvents.filter { $0.ph == "X" }) { [$0.pid, $0.tid] }
        for (lane, events) in lanes {
            var open: [Int64] = []
            for event in events.sorted(by: { ($0.ts, -($0.dur ?? 0)) < ($1.ts, -($1.dur ?? 0)) }) {
                while let end = open.last, end <= event.ts { open.removeLast() }
                if let end = open.last { #expect(event.end <= end, "\(event.name) in \(lane)") }
                open.append(event.end)
            }
        }
        // Stages have the places that stages have.
        let stages = Set(trace.traceEvents.filter { $0.cat == "stage" && $0.pid == 2 }.map(\.name))
        #expect(stages == ["connect", "first byte", "body"])
        #expect(Set(trace.traceEvents.filter { $0.cat == "stage" && $0.pid == 3 }.map(\.name)) == ["decode"])
    }

    @Test("layers are counted over time, and remarks are moments")
    func counters() async throws {
        let (trace, reports) = try await trace()
        let counters = trace.traceEvents.filter { $0.ph == "C" }
        #expect(counters.count == reports.count)
        #expect(counters.map(\.ts) == counters.map(\.ts).sorted())
        for layer in LoadReport.Layer.allCases {
            let count = reports.filter { $0.layer == layer }.count
            #expect(counters.last?.args?[layer.rawValue]?.text == "\(count)")
        }
        let moments = trace.traceEvents.filter { $0.ph == "i" }
        #expect(moments.count == 1 && moments[0].s == "p" && moments[0].args?["load"] != nil)
    }
}

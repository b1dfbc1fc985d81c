import Foundation
import Testing

@testable import CalotypeTool

@Suite("calo bench: counts and tables")
struct BenchTests {
    @Test("the total is found in what valgrind prints, whichever spaces it has")
    func valgrind() {
        let output = """
            ==4711== Cachegrind, a high-precision tracing profiler
            ==4711== Command: /tmp/calo bench-run memory-hit 10000
            --4711-- warning: L3 cache found, using its data for the LL simulation.
            ==4711==
            ==4711== I   refs:      102,345,678
            """
        #expect(InstructionCounter.parse(output) == 102_345_678)
        #expect(InstructionCounter.parse("==1== I refs:        12") == 12)
        #expect(InstructionCounter.parse("==1== D   refs:      12,000") == nil)
        #expect(InstructionCounter.parse("valgrind: failed to start tool") == nil)
    }

    @Test(
        "figures have three digits or so",
        arguments: [
            (12_345.4, "12,345"), (250, "250"), (99.96, "100"), (23.44, "23.4"), (2, "2"), (1.5, "1.5"),
            (1.004, "1"), (0.97, "0.97"), (0.98765, "0.988"), (0.005, "0.005"), (0, "0"), (-0.25, "-0.25"),
            (.infinity, "infinite"),
        ])
    func figures(_ value: Double, _ text: String) {
        #expect(value.figure == text)
    }

    private let rows = [
        BenchRow(name: "hit", title: "a hit", unit: "instructions", measured: 249.6, bound: .atMost(250)),
        BenchRow(name: "slow", title: "a request", unit: "us", measured: 61, bound: .atMost(60)),
        BenchRow(
            name: "ratio", title: "hits", unit: "x", measured: 0.9, bound: .atLeast(0.93),
            details: [.init(name: "LRU", value: 0.5), .init(name: "PSNR", value: .infinity, unit: "dB")]),
        BenchRow(name: "time", title: "a time", unit: "ms", measured: 12),
        BenchRow(name: "gone", title: "a count", unit: "instructions", bound: .atMost(1), note: "No valgrind."),
    ]

    @Test("a row says whether its bound holds; what couldn't be measured isn't ok")
    func states() {
        #expect(rows.map(\.state) == [.ok, .over, .under, .reported, .notMeasured])
        #expect(rows.map(\.isOK) == [true, false, false, true, false])
    }

    @Test("the columns of the table stand below each other")
    func table() throws {
        let lines = rows.map(BenchTable.row)
        let column = try #require(BenchTable.header.range(of: "what")).lowerBound.utf16Offset(in: BenchTable.header)
        for (line, title) in zip(lines, rows.map(\.title)) {
            #expect(line.range(of: title)?.lowerBound.utf16Offset(in: line) == column)
        }
        #expect(lines[0].contains(" 250 instructions ") && lines[0].contains(" <= 250 ") && lines[0].contains(" ok "))
        #expect(lines[2].hasSuffix("hits; LRU 0.5, PSNR infinite dB") && lines[2].contains(" >= 0.93 "))
        #expect(lines[4].hasSuffix("a count; No valgrind.") && lines[4].contains(" not measured "))
        let summary = BenchTable.summary(rows, duration: .seconds(61))
        #expect(
            summary
                == "3 of 4 bounds don't hold: slow (over), ratio (under), gone (not measured). Measured in 61 s.")
    }

    @Test("the JSON document has the same, without what JSON can't hold")
    func json() throws {
        let document = try JSONSerialization.jsonObject(with: Data(BenchTable.json(rows).utf8))
        let object = try #require(document as? [String: Any])
        let cases = try #require(object["cases"] as? [[String: Any]])
        #expect(object["ok"] as? Bool == false)
        #expect(cases.compactMap { $0["name"] as? String } == rows.map(\.name))
        #expect(cases.compactMap { $0["state"] as? String } == rows.map(\.state.rawValue))
        #expect((cases[2]["bound"] as? [String: Double]) == ["atLeast": 0.93])
        #expect((cases[2]["details"] as? [[String: Any]])?.count == 2)
        #expect(cases[4]["measured"] == nil && cases[4]["note"] as? String == "No valgrind.")
    }

    @Test("names are unique, and choose cases or whole sections")
    func names() throws {
        #expect(Set(BenchCase.all.map(\.name)).count == BenchCase.all.count)
        #expect(try BenchOptions([]).cases.count == BenchCase.all.count)
        #expect(
            try BenchOptions(["--json", "transport", "memory-hit"]).cases.map(\.name) == [
                "memory-hit", "transport-1", "transport-6", "transport-64",
            ])
        #expect(throws: UsageError.self) { try BenchOptions(["nonsense"]) }
    }

    private static let gate = """
        # Counts.
        memory-hit\t200\t5
        waiters 4000 10

        """

    @Test("a gate lets through what is within its tolerance, and says what has become better")
    func gate() throws {
        let gate = try BenchGate(URL(filePath: "/gate.tsv"), Self.gate)
        func judged(_ name: String, _ measured: Double?) -> BenchRow {
            gate.judged(
                BenchRow(name: name, title: "", unit: "instructions", measured: measured, bound: .atMost(1)))
        }
        #expect(judged("memory-hit", 210).state == .ok)
        #expect(judged("memory-hit", 210).details.map(\.value.figure) == ["200", "5"])
        #expect(judged("memory-hit", 211).state == .over)
        #expect(judged("waiters", 4_400).isOK && !judged("waiters", 4_401).isOK)
        #expect(judged("memory-hit", 191).note == nil)
        #expect(judged("memory-hit", 189).isOK && judged("memory-hit", 189).note?.contains("--record") == true)
        // What couldn't be measured doesn't pass; what isn't in the gate keeps its own bound.
        #expect(!judged("memory-hit", nil).isOK)
        #expect(!judged("cancels", 2).isOK && judged("cancels", 1).isOK)
        let recorded = gate.recorded([judged("memory-hit", 150.4), judged("waiters", nil)])
        #expect(recorded == "# Counts.\nmemory-hit\t150\t5\nwaiters\t4000\t10\n")
    }

    @Test(
        "a gate's file is taken at its word, or refused by the line",
        arguments: [
            "memory-hit 200", "memory-hit few 5", "memory-hit 0 5", "memory-hit 200 -1", "no-such-case 200 5",
        ])
    func refusedGates(line: String) throws {
        #expect(throws: UsageError.self) { try BenchGate(URL(filePath: "/gate.tsv"), "# Counts.\n\(line)\n") }
    }

    @Test("the gate that is checked in chooses its cases, all of them counts")
    func checkedInGate() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Benchmarks/gate.tsv")
        let path = file.standardizedFileURL.path(percentEncoded: false)
        let options = try BenchOptions(["--gate", path])
        #expect(options.cases.count >= 10)
        #expect(options.cases.allSatisfy { $0.section == .instructions })
        #expect(try BenchOptions(["--gate", path, "memory-hit"]).cases.map(\.name) == ["memory-hit"])
        #expect(throws: UsageError.self) { try BenchOptions(["--record"]) }
        #expect(throws: (any Error).self) { try BenchOptions(["--gate", "/nowhere/gate.tsv"]) }
    }
}

import Foundation

extension Command {
    /// `calo bench`.
    static let bench = Command(
        name: "bench", summary: "measure the main operations and compare with the bounds", help: BenchOptions.help
    ) { arguments in
        let options = try BenchOptions(arguments)
        let start = ContinuousClock.now
        if !options.printsJSON { Console.print(BenchTable.header) }
        do {
            let (rows, _) = try await Interruption.cancelling {
                try await BenchContext.with { context in
                    var rows: [BenchRow] = []
                    for benchCase in options.cases {
                        let measured = try await benchCase.measured(context)
                        let row = options.gate?.judged(measured) ?? measured
                        if !options.printsJSON { Console.print(BenchTable.row(row)) }
                        rows.append(row)
                    }
                    return rows
                }
            }
            let text =
                options.printsJSON
                ? try BenchTable.json(rows) : "\n" + BenchTable.summary(rows, duration: .now - start)
            Console.print(text)
            if options.recordsGate, let gate = options.gate {
                try Data(gate.recorded(rows).utf8).write(to: gate.url)
                return rows.contains { $0.measured == nil } ? .failure : .success
            }
            return rows.allSatisfy(\.isOK) ? .success : .failure
        } catch is CancellationError {
            Console.complain("interrupted.")
            return Interruption.exitCode
        }
    }
}

/// What `calo bench` was told.
struct BenchOptions: Sendable {
    var printsJSON = false
    /// Counts to compare with, in place of the bounds.
    fileprivate(set) var gate: BenchGate?
    /// Whether what is measured replaces them.
    fileprivate(set) var recordsGate = false
    /// What is measured, in the order of ``BenchCase/all``.
    private(set) var cases: [BenchCase] = BenchCase.all

    /// Reads the arguments.
    ///
    /// - Throws: ``UsageError`` or ``HelpRequest``.
    init(_ arguments: [String]) throws {
        let operands = try Self.parser.parse(arguments, into: &self)
        for operand in operands where !BenchCase.all.contains(where: { $0.answers(to: operand) }) {
            throw UsageError("\(UsageError.quoted(operand)) is no case.")
        }
        if recordsGate, gate == nil { throw UsageError("--record wants --gate.") }
        cases = BenchCase.all.filter { benchCase in
            (gate?.lines.contains { $0.name == benchCase.name } ?? true)
                && (operands.isEmpty || operands.contains { benchCase.answers(to: $0) })
        }
    }

    static let parser = OptionParser<BenchOptions>(options: [
        .init("--json", help: "print one JSON document instead of the table") { options, _ in
            options.printsJSON = true
        },
        .init("--gate", value: "FILE", help: "measure what FILE has counts of, and compare with those") {
            options, file in
            options.gate = try BenchGate(URL(filePath: file))
        },
        .init("--record", help: "write what is measured into the gate's FILE") { options, _ in
            options.recordsGate = true
        },
    ])

    static let help = """
        Measures the main operations and says whether they keep within their bounds. Takes a minute; other work on the
        machine disturbs the times, and hardly the counts.

        usage: calo bench [options] [SECTION|CASE ...]

        \(parser.help)

        Without names, everything is measured. The sections and their cases:

        \(sections)

        Instructions are counted by valgrind; the transport is compared with libcurl's easy interface against an nginx
        on this machine, and the way of an image with libcurl and libjpeg. Where one of them is missing, its cases are not
        measured. See BENCHMARKS.md.

        Exit status: 0 if all bounds hold; 1 if one doesn't, or couldn't be measured; 2 for arguments that make no
        sense; 130 after an interrupt.
        """

    private static var sections: String {
        BenchCase.Section.allCases.map { section in
            let names = BenchCase.all.filter { $0.section == section }.map(\.name)
            return "  \(section.rawValue)\n" + names.map { "    \($0)" }.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}

extension BenchCase {
    fileprivate func answers(to operand: String) -> Bool { name == operand || section.rawValue == operand }
}

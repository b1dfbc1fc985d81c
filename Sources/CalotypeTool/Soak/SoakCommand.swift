import Foundation

extension Command {
    /// `calo soak`, which isn't listed: for `make soak`.
    static let soak = Command(name: "soak", summary: "", help: SoakOptions.help) { arguments in
        let options = try SoakOptions(arguments)
        Console.print("seed \(options.seed), \(options.duration)")
        do {
            let (report, _) = try await Interruption.cancelling {
                try await options.soak.run { passed, counts in
                    Console.print(
                        "\(Int(passed / .seconds(1))) s: \(counts.frames.grouped) frames, \(counts.loads.grouped) loads, "
                            + "\(counts.sent.grouped) requests, \(ProcessMemory.residentByteCount.grouped) bytes of memory"
                    )
                }
            }
            Console.print(report.text)
            for fault in report.faults { Console.complain("soak: \(fault).") }
            return report.faults.isEmpty ? .success : .failure
        } catch is CancellationError {
            Console.complain("interrupted.")
            return Interruption.exitCode
        }
    }
}

/// What `calo soak` was told.
struct SoakOptions: Sendable {
    private(set) var duration = Duration.seconds(20)
    private(set) var seed = UInt64.random(in: 0..<1_000_000)
    private(set) var growth = 5

    /// Reads the arguments.
    ///
    /// - Throws: ``UsageError`` or ``HelpRequest``.
    init(_ arguments: [String]) throws {
        let operands = try Self.parser.parse(arguments, into: &self)
        guard operands.isEmpty else { throw UsageError("soak takes options alone.") }
    }

    var soak: Soak { Soak(duration: duration, seed: seed, growth: growth) }

    static let parser = OptionParser<SoakOptions>(options: [
        .init("--seconds", value: "N", help: "how long; 20 is the default") {
            $0.duration = .seconds(try Int($1, of: "--seconds", in: 1...1_000_000))
        },
        .init("--seed", value: "N", help: "what happens when; drawn by lot, and printed, unless given") {
            $0.seed = UInt64(try Int($1, of: "--seed", in: 0...Int.max))
        },
        .init("--growth", value: "PERCENT", help: "how much more memory the second half may take; 5 is the default") {
            $0.growth = try Int($1, of: "--growth", in: 0...1_000)
        },
    ])

    static let help = """
        Uses one pipeline for a long time: somebody scrolls a feed, opens pictures, signs out and loses the network, while
        the server fails, stalls, closes connections and changes its pictures. Then everything must have ended, memory must
        be as it was, and what was counted at both ends must agree.

        usage: calo soak [options]

        \(parser.help)

        Exit status: 0; 1 if something isn't as it must be, which is then named; 2 for arguments that make no sense; 130 after
        an interrupt.
        """
}

extension Soak.Report {
    /// A table of what was counted.
    fileprivate var text: String {
        let rows: [(String, String)] = [
            ("frames", counts.frames.grouped),
            ("openings, sign-outs, outages", "\(counts.openings), \(counts.signOuts), \(counts.outages)"),
            (
                "loads = images + errors + cancellations",
                "\(counts.loads.grouped) = \(counts.images.grouped) + \(counts.errors.grouped) + "
                    + counts.cancellations.grouped
            ),
            ("prefetches = outcomes", "\(counts.prefetches.grouped) = \(counts.outcomes.grouped)"),
            (
                "sent = answered + failed + given up",
                "\(counts.sent.grouped) = \(counts.answered.grouped) + \(counts.failed.grouped) + "
                    + counts.abandoned.grouped
            ),
            (
                "the origin's requests = arrived + repeated",
                "\(originCount.grouped) = \(counts.arrived.grouped) + \(counts.repeated.grouped)"
            ),
            ("of these 304, and gone wrong", "\(counts.confirmed.grouped), \(counts.faults.grouped)"),
            ("wrong pictures, faults of caches", "\(counts.wrongPictures), \(counts.cacheFaults)"),
            ("most memory, first and second half", peaks.map { "\($0.grouped) bytes" }.joined(separator: ", ")),
            ("descriptors before and after", "\(descriptors.before), \(descriptors.after)"),
        ]
        return rows.map { $0.0.padded(to: 44) + $0.1 }.joined(separator: "\n")
    }
}

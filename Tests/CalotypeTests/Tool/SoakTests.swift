import Calotype
import Foundation
import Testing

@testable import CalotypeTool

@Suite("calo soak: what must add up")
struct SoakTests {
    /// A ledger of a few requests that all went as they should.
    private static func ledger() -> SoakLedger {
        let ledger = SoakLedger()
        for isDropped in [false, true, false] {
            let number = ledger.send()
            ledger.arrive(number, isDropped: isDropped)
            if isDropped { ledger.count(\.failed) } else { ledger.answer(number) }
        }
        // Sent anew by the transport after its connection was closed; and given up before it came anywhere.
        let number = ledger.send()
        ledger.arrive(number, isDropped: true)
        ledger.arrive(number, isDropped: false)
        ledger.answer(number)
        _ = ledger.send()
        ledger.count(\.abandoned)
        ledger.count(\.loads, 3)
        ledger.count(\.images)
        ledger.count(\.errors)
        ledger.count(\.cancellations)
        return ledger
    }

    @Test("what went as it should adds up")
    func balance() {
        let ledger = Self.ledger()
        #expect(ledger.faults(originCount: 5).isEmpty)
        #expect(ledger.counts.arrived == 4 && ledger.counts.repeated == 1 && ledger.counts.sent == 5)
    }

    /// Something that goes wrong, the origin's count then, and what the balance says of it.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var originCount = 5
        let make: @Sendable (SoakLedger) -> Void
    }

    @Test(
        "what doesn't is named",
        arguments: [
            Mistake(testDescription: "loads, and images, errors and cancellations: 4 and 3") { $0.count(\.loads) },
            Mistake(testDescription: "prefetches, and their outcomes: 0 and 1") { $0.count(\.outcomes) },
            Mistake(
                testDescription: "requests that were sent, and answers, failures and those that were given up: 6 and 5"
            ) { _ = $0.send() },
            Mistake(
                testDescription: "the origin's requests, and those of the pipeline that reached it: 6 and 5",
                originCount: 6
            ) { _ in },
            Mistake(testDescription: "requests that nobody had sent, or twice: 1 and 0", originCount: 6) {
                $0.arrive(0, isDropped: false)
            },
            Mistake(testDescription: "requests that nobody had sent, or twice: 1 and 0", originCount: 6) {
                $0.arrive(nil, isDropped: false)
            },
            Mistake(testDescription: "answers to requests that never reached the origin: 1 and 0") {
                $0.answer($0.send())
            },
            Mistake(testDescription: "wrong pictures: 1 and 0") { $0.count(\.wrongPictures) },
            Mistake(testDescription: "out of the blue") { $0.surprise("out of the blue") },
        ])
    func imbalance(_ mistake: Mistake) {
        let ledger = Self.ledger()
        mistake.make(ledger)
        let faults = ledger.faults(originCount: mistake.originCount)
        #expect(faults == [mistake.testDescription])
    }

    @Test("a short one ends with nothing left, and every count agrees", .timeLimit(.minutes(5)))
    func short() async throws {
        // Half of it is filling caches: that memory doesn't grow is for longer ones to say.
        let run = try await ToolProcess("soak", "--seconds", "8", "--seed", "7", "--growth", "100")
        #expect(run.status == 0, "\(run.all)")
        #expect(run.lines.first == "seed 7, 8.0 seconds")
        #expect(run.output.contains("loads = images + errors + cancellations"))
    }
}

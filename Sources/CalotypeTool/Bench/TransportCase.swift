import Foundation

/// The transport beside libcurl's easy interface: requests for 20 KB, over connections that are kept.
enum TransportCase: Int, CaseIterable {
    case one = 1
    case six = 6
    case many = 64

    private static let roundCount = 5
    private static let requestCount = 10_000

    /// CPU of the whole process, as a ratio of medians. The two take turns, so that what else goes on hits both.
    var benchCase: BenchCase {
        let row = BenchRow(
            name: "transport-\(rawValue)",
            title: "CPU of CurlTransport at concurrency \(rawValue), libcurl's easy interface = 1",
            unit: "x", bound: .atMost(2))
        return BenchCase(.transport, row) { row, context in
            #if os(Linux)
            let (easy, transport) = try await LocalNginx.serving(TransportRound.body, in: context) { url in
                var easy: [Double] = []
                var transport: [Double] = []
                for _ in 0..<Self.roundCount {
                    easy.append(try await measure(.easy, url, context))
                    transport.append(try await measure(.transport, url, context))
                }
                return (easy, transport)
            }
            row.measured = .median(transport) / .median(easy)
            row.details =
                BenchRow.Detail.spread("CurlTransport", transport, unit: "us a request")
                + BenchRow.Detail.spread("easy interface", easy, unit: "us")
            #else
            throw BenchError("CurlTransport is for Linux.")
            #endif
        }
    }

    private func measure(_ client: TransportRound.Client, _ url: URL, _ context: BenchContext) async throws -> Double {
        let round = TransportRound(
            client: client, concurrency: rawValue, requestCount: Self.requestCount, url: url)
        return try await context.measure(round.arguments)[0]
    }
}

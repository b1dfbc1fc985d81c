import Calotype
import Foundation

/// Why a request would be answered from a store, or wouldn't.
struct CacheExplanation: Sendable {
    /// In lines. The URL is redacted.
    let text: String

    /// Looks a request up as a pipeline would.
    ///
    /// - Parameter headers: Fields of the request, beside those that every pipeline sends.
    init(
        of url: URL, partition: Partition?, headers: [HeaderArgument], in store: SQLiteStore, now: Date = Date()
    ) async throws {
        var fields = ImagePipeline.Configuration(store: nil).fields
        var own = HTTPFields()
        for header in headers {
            fields[header.name] = header.value
            own.append(header.name, header.value)
        }
        let key = FetchKey(url: url, partition: partition, fields: FetchKey.fieldsThatMatter(of: own))
        let responses = try await store.responses(for: key)
        var lines = [
            "\(key), \(partition == nil ? "no partition" : "that partition"): "
                + (responses.isEmpty ? "nothing stored" : "\(responses.count) stored")
        ]
        // What can't be read is passed over, as by a pipeline.
        var heads: [HTTPCache.StoredHead] = []
        for response in responses {
            guard let head = HTTPCache.StoredHead(encoded: response.metadata) else {
                lines.append("#\(response.id.number)  its head can't be read: passed over")
                continue
            }
            heads.append(head)
            lines.append(Self.line(response, head))
            lines += Self.details(head)
        }
        let decision = HTTPCache.decide(candidates: heads, request: fields, now: now)
        lines.append("decision: \(Self.words(decision.outcome))")
        lines.append("because:  \(decision.reason)")
        text = lines.joined(separator: "\n")
    }

    private static func line(_ response: StoredResponse, _ head: HTTPCache.StoredHead) -> String {
        "#\(response.id.number)  \(head.status)  \(CacheReport.type(head))  \(response.bodyByteCount.grouped) bytes, "
            + "received \(CacheReport.time(head.responseTime))"
    }

    /// The fields that the decision depends on. None of them holds a credential.
    private static func details(_ head: HTTPCache.StoredHead) -> [String] {
        ["Cache-Control", "Expires", "Date", "Age", "ETag", "Last-Modified", "Vary"].compactMap { name in
            head.fields[name].map { "    \(name): \($0.printable)" }
        }
    }

    private static func words(_ outcome: HTTPCache.Outcome) -> String {
        switch outcome {
        case .useStored(let index): "use the stored response\(place(index))"
        case .useStaleWhileRevalidating(let index):
            "use the stored response\(place(index)) though it is stale, and revalidate it in the background"
        case .revalidate(let index, let fields):
            "revalidate the stored response\(place(index)) with "
                + fields.map { "\($0.name): \($0.value.printable)" }.joined(separator: ", ")
        case .fetch: "fetch"
        case .unsatisfiable: "answer nothing: the request allows stored responses alone"
        }
    }

    private static func place(_ index: Int) -> String { index == 0 ? "" : " (number \(index + 1))" }
}

import CalotypeTesting
import Foundation
import Testing

@testable import Calotype
@testable import CalotypeTool

@Suite("calo cache", .timeLimit(.minutes(5)))
struct ToolCacheTests {
    /// A store with a fresh and a stale response, and one in a partition.
    private func fill(_ folder: StoreFolder) async throws {
        let store = folder.store()
        let url = "https://ada:s3cret@img.example.com/lovelace"
        for (name, fields, partition, byteCount) in [
            ("fresh", ["Cache-Control": "max-age=600", "Content-Type": "image/png; x=1"], nil, 1_000),
            ("stale", ["Cache-Control": "max-age=0", "ETag": "\"v1\"", "Content-Type": "image/jpeg"], nil, 90_000),
            ("mine", ["Cache-Control": "max-age=600"], "account", 2_000),
        ] as [(String, HTTPFields, Partition?, Int)] {
            let head = HTTPCache.StoredHead(
                status: 200, fields: fields, requestTime: Date(), responseTime: Date(), requestFields: [:])
            _ = try await store.add(
                distinctBytes(byteCount, seed: 1),
                for: FetchKey(url: URL(string: "\(url)/\(name)?token=t0ken")!, partition: partition), resource: "a",
                metadata: head.encoded(), replacing: nil, since: store.epoch())
        }
        await store.close()
    }

    private func calo(_ folder: StoreFolder, _ arguments: String...) async throws -> ToolProcess {
        try await ToolProcess(["cache"] + arguments + ["--store", folder.url.path(percentEncoded: false)])
    }

    @Test("explain says what a request would be answered with, and why, with the numbers")
    func explain() async throws {
        try await StoreFolder.with { folder in
            try await fill(folder)
            let url = "https://ada:s3cret@IMG.example.com:443/lovelace"
            let fresh = try await calo(folder, "explain", "\(url)/fresh?token=t0ken")
            #expect(fresh.status == 0 && fresh.errors.isEmpty)
            #expect(fresh.output.contains("1 stored"))
            #expect(fresh.output.contains("  200  image/png  1,000 bytes, received "))
            #expect(fresh.output.contains("    Cache-Control: max-age=600"))
            #expect(fresh.output.contains("decision: use the stored response\n"))
            #expect(fresh.output.contains("because:  fresh: age "))
            #expect(fresh.output.contains(" of 600 s by max-age (RFC 9111, 5.2.2.1)"))

            let stale = try await calo(folder, "explain", "\(url)/stale?token=t0ken")
            #expect(stale.output.contains("decision: revalidate the stored response with If-None-Match: \"v1\""))
            #expect(stale.output.contains("because:  stale: age "))
            let asked = try await calo(
                folder, "explain", "--header", "Cache-Control: only-if-cached", "\(url)/stale?token=t0ken")
            #expect(asked.output.contains("decision: answer nothing"))

            let other = try await calo(folder, "explain", "\(url)/mine?token=t0ken")
            #expect(other.output.contains("nothing stored") && other.output.contains("decision: fetch"))
            let mine = try await calo(folder, "explain", "\(url)/mine?token=t0ken", "--partition", "account")
            #expect(mine.output.contains("decision: use the stored response"))
            for run in [fresh, stale, asked, other, mine] {
                for secret in ["s3cret", "lovelace", "t0ken"] { #expect(!run.all.contains(secret)) }
            }
        }
    }

    @Test("stats and list show sizes, places, types and origins, and no more of a URL")
    func list() async throws {
        try await StoreFolder.with { folder in
            try await fill(folder)
            let list = try await calo(folder, "list")
            #expect(list.status == 0 && list.lines.count == 4)
            let rows = list.lines.dropFirst().map { $0.split(separator: " ").map(String.init) }
            #expect(rows.map { $0[1] } == ["200", "200", "200"])
            #expect(rows.map { $0[2] } == ["image/png", "image/jpeg", "-"])
            #expect(rows.map { $0[3] } == ["1,000", "90,000", "2,000"])
            #expect(rows.map { $0[4] } == ["index", "file", "index"])
            #expect(rows[0][5] == "-" && rows[1][5] == "-" && rows[2][5].count == 8)
            #expect(rows.allSatisfy { $0.last == "https://img.example.com" })
            #expect(!list.all.contains("lovelace"))

            let stats = try await calo(folder, "stats")
            #expect(stats.status == 0)
            #expect(stats.output.contains("90,000 bytes in 1 file"))
            let store = folder.store()
            let usage = try await store.usage()
            #expect(stats.output.contains(" \(usage.byteCount.grouped) bytes\n"))
        }
    }

    @Test("verify finds what is amiss, removes it and ends with 1; then there is nothing amiss")
    func verify() async throws {
        try await StoreFolder.with { folder in
            try await fill(folder)
            let whole = try await calo(folder, "verify")
            #expect(whole.status == 0 && whole.output == "3 responses read\nnothing amiss\n")
            try StoreDamageTests.Harm.flippedBit.happen(to: try #require(folder.bodies.first))
            let orphan = folder.url.appending(path: "bodies/ab")
            try FileManager.default.createDirectory(at: orphan, withIntermediateDirectories: true)
            try Data([1]).write(to: orphan.appending(path: "cd"))
            let damaged = try await calo(folder, "verify")
            #expect(damaged.status == 1)
            #expect(
                damaged.output == "3 responses read\n1 damaged, removed\n1 file of no response, removed\n")
            #expect(damaged.errors.contains("A stored response is damaged"))
            let again = try await calo(folder, "verify")
            #expect(again.status == 0 && again.output == "2 responses read\nnothing amiss\n")
        }
    }

    @Test("trim and clear remove what they say")
    func removal() async throws {
        try await StoreFolder.with { folder in
            try await fill(folder)
            let cleared = try await calo(folder, "clear", "--partition", "account")
            #expect(cleared.status == 0 && cleared.output.hasPrefix("1 response removed, 2,"))
            let trimmed = try await calo(folder, "trim", "89K")
            #expect(trimmed.output.hasPrefix("1 response removed, 1,") && trimmed.output.contains("; 1 left, 90,"))
            let all = try await calo(folder, "clear")
            #expect(all.output.contains("; 0 left, 0 bytes"))
            #expect(folder.bodies.isEmpty)
        }
    }

    @Test("where there is no store, none is made")
    func noStore() async throws {
        try await StoreFolder.with { folder in
            let run = try await calo(folder, "stats")
            #expect(run.status == 1 && run.errors.contains("can't find a store in"))
            #expect(!FileManager.default.fileExists(atPath: folder.url.path(percentEncoded: false)))
        }
    }

    @Test(
        "arguments that make no sense are refused",
        arguments: [
            [], ["stats"], ["what", "--store", "a"], ["explain", "--store", "a"],
            ["explain", "ftp://a", "--store", "a"],
            ["trim", "--store", "a"], ["trim", "1X", "--store", "a"], ["trim", "-1", "--store", "a"],
            ["stats", "--store", ""], ["stats", "a", "--store", "a"], ["list", "--partition", "p", "--store", "a"],
            ["clear", "--header", "A: b", "--store", "a"],
        ])
    func usage(_ arguments: [String]) throws {
        #expect(throws: UsageError.self) { try CacheOptions(arguments) }
    }

    @Test(
        "sizes have digits and a unit",
        arguments: [("0", 0), ("500", 500), ("2K", 2_048), ("3m", 3 << 20), ("1G", 1 << 30)])
    func sizes(_ text: String, _ byteCount: Int) throws {
        #expect(try CacheOptions.byteCount(text) == byteCount)
        #expect(throws: UsageError.self) { try CacheOptions.byteCount(text + "B") }
        #expect(throws: UsageError.self) { try CacheOptions.byteCount("99999999999" + text + "G") }
    }

    @Test("calo load keeps what it has loaded, if it is told where")
    func load() async throws {
        try await StoreFolder.with { folder in
            let server = try LoopbackServer()
            let png = TestImages.solidPNG(width: 4, height: 3, color: .red)
            server.route("/a.png") { _ in .ok(png, type: "image/png", fields: ["Cache-Control": "max-age=600"]) }
            let url = server.url("/a.png").absoluteString
            for layer in ["network", "storage"] {
                let run = try await ToolProcess(
                    "load", "--store", folder.url.path(percentEncoded: false), url)
                #expect(run.status == 0 && run.errors.isEmpty)
                #expect(run.output.contains(layer))
            }
            #expect(server.requests.count == 1)
        }
    }
}

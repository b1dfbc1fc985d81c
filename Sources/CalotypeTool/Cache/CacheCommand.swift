import Calotype
import Foundation

extension Command {
    /// `calo cache`.
    static let cache = Command(
        name: "cache", summary: "look at a store of responses, explain, check and trim it", help: CacheOptions.help
    ) { arguments in
        let options = try CacheOptions(arguments)
        let store = try openStore(at: options.folder ?? "")
        do {
            let code = try await run(options, store)
            await store.close()
            return code
        } catch {
            await store.close()
            throw error
        }
    }

    /// - Throws: ``FileError`` where there is no store: looking makes none.
    private static func openStore(at folder: String) throws -> SQLiteStore {
        let index = folder + "/index.sqlite"
        guard LocalFile.look(at: index)?.kind == .regular else { throw FileError("find a store in", folder) }
        // Nothing is inserted, so these limits remove nothing.
        return SQLiteStore(
            directory: URL(filePath: folder), options: .init(byteLimit: .max, entryLimit: .max)
        ) { event in
            if case .cacheFault(_, let error) = event { Console.complain("\(error)") }
        }
    }

    private static func run(_ options: CacheOptions, _ store: SQLiteStore) async throws -> ExitCode {
        switch options.action {
        case .stats:
            Console.print(CacheReport.statistics(try await store.statistics()))
        case .list:
            Console.print(CacheReport.header)
            var last: StoredResponse.ID?
            while !Console.hasLostItsReader, let entries = try await page(of: store, after: last) {
                for entry in entries { Console.print(CacheReport.row(entry)) }
                last = entries.last?.id
            }
        case .explain(let url):
            let explanation = try await CacheExplanation(
                of: url, partition: options.partition.map { Partition($0) }, headers: options.headers, in: store)
            Console.print(explanation.text)
        case .verify:
            let verification = try await store.verify()
            Console.print(CacheReport.verification(verification))
            return verification.isWhole ? .success : .failure
        case .trim(let byteCount):
            let before = try await store.usage()
            try await store.trim(toByteCount: byteCount)
            Console.print(CacheReport.removal(before, try await store.usage()))
        case .clear:
            let before = try await store.usage()
            if let partition = options.partition {
                try await store.removePartition(Partition(partition))
            } else {
                try await store.removeAll()
            }
            Console.print(CacheReport.removal(before, try await store.usage()))
        }
        return .success
    }

    private static func page(of store: SQLiteStore, after id: StoredResponse.ID?) async throws -> [StoreEntry]? {
        let entries = try await store.entries(after: id)
        return entries.isEmpty ? nil : entries
    }
}

/// What `calo cache` prints.
enum CacheReport {
    static func statistics(_ statistics: StoreStatistics) -> String {
        let lines = [
            ("responses", statistics.usage.responseCount.grouped, ""),
            ("bodies and metadata", statistics.usage.byteCount.grouped, " bytes"),
            ("index", statistics.indexByteCount.grouped, " bytes, \(statistics.freeByteCount.grouped) of them free"),
            ("log", statistics.logByteCount.grouped, " bytes"),
            ("files", statistics.fileByteCount.grouped, " bytes in \(number(statistics.fileCount, "file"))"),
            ("on disk", statistics.diskByteCount.grouped, " bytes"),
        ]
        return lines.map { $0.0.padded(to: 22) + $0.1.rightAligned(to: 16) + $0.2 }.joined(separator: "\n")
    }

    static var header: String {
        row("id", "status", "type", "bytes", "in", "partition", "stored", "used", "from")
    }

    static func row(_ entry: StoreEntry) -> String {
        let head = HTTPCache.StoredHead(encoded: entry.metadata)
        return row(
            "\(entry.id.number)", head.map { "\($0.status)" } ?? "-", head.map(type) ?? "-",
            entry.bodyByteCount.grouped, entry.isInFile ? "file" : "index", entry.partitionTag ?? "-",
            time(entry.stored), time(entry.used), entry.origin.printable)
    }

    private static func row(
        _ id: String, _ status: String, _ type: String, _ bytes: String, _ place: String, _ partition: String,
        _ stored: String, _ used: String, _ origin: String
    ) -> String {
        id.rightAligned(to: 8) + "  " + status.padded(to: 7) + type.padded(to: 16) + bytes.rightAligned(to: 12) + "  "
            + place.padded(to: 6) + partition.padded(to: 10) + stored.padded(to: 21) + used.padded(to: 21) + origin
    }

    static func type(_ head: HTTPCache.StoredHead) -> String {
        let type = head.fields["Content-Type"]?.prefix { $0 != ";" } ?? "-"
        return String(type).printable
    }

    /// "2026-11-30T10:00:00Z".
    static func time(_ date: Date) -> String { date.formatted(.iso8601) }

    static func verification(_ found: StoreVerification) -> String {
        var lines = ["\(number(found.checkedCount, "response")) read"]
        if found.isWhole { lines.append("nothing amiss") }
        if found.damagedCount > 0 { lines.append("\(found.damagedCount.grouped) damaged, removed") }
        if found.orphanCount > 0 { lines.append("\(number(found.orphanCount, "file")) of no response, removed") }
        if !found.totalsAddUp { lines.append("the totals didn't add up, and do now") }
        lines += found.indexFaults.map { "index: \($0.printable)" }
        return lines.joined(separator: "\n")
    }

    /// "1 file", "2 files".
    private static func number(_ count: Int, _ noun: String) -> String {
        "\(count.grouped) \(noun)\(count == 1 ? "" : "s")"
    }

    static func removal(_ before: StoreUsage, _ after: StoreUsage) -> String {
        let (count, bytes) = (before.responseCount - after.responseCount, before.byteCount - after.byteCount)
        return "\(number(count, "response")) removed, \(bytes.grouped) bytes; "
            + "\(after.responseCount.grouped) left, \(after.byteCount.grouped) bytes"
    }
}

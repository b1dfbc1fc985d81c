/// The statements of a store, each prepared when it is first used.
enum StoreQuery: Int, CaseIterable {
    case begin, beginReading, commit, rollback
    case state, setState
    case find, body, insert, insertBody, metadata, setMetadata
    case delete, deleteBody, oldest, unusedSince, ofResource, ofPartition, allFiles, use
    case keys, keysAfter, filesInFolder, usageOfPartition, usageOfNoPartition, sums, entries
    case keepImpression, dropImpressions, impressions, deleteImpressionsOfResource, deleteImpressionsOfPartition

    var sql: String {
        switch self {
        // Immediate: the first statement would otherwise read, and then fail to become a writer beside another process.
        case .begin: "BEGIN IMMEDIATE"
        case .beginReading: "BEGIN"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .state: "SELECT next_id, response_count, byte_count FROM state"
        case .setState: "UPDATE state SET next_id = ?, response_count = ?, byte_count = ?"
        case .find:
            """
            SELECT id, metadata, body_byte_count, body_crc, row_crc FROM responses WHERE key = ? ORDER BY id DESC
            """
        case .body:
            """
            SELECT r.body_byte_count, r.body_crc, r.file, b.bytes
            FROM responses r LEFT JOIN bodies b ON b.id = r.id WHERE r.id = ?
            """
        case .insert:
            """
            INSERT INTO responses
            (id, key, resource, partition, stored, used, body_byte_count, body_crc, row_crc, file, origin, metadata)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        case .insertBody: "INSERT INTO bodies (id, bytes) VALUES (?, ?)"
        case .metadata:
            "SELECT key, metadata, body_byte_count, body_crc, row_crc FROM responses WHERE id = ?"
        case .setMetadata: "UPDATE responses SET metadata = ?, row_crc = ? WHERE id = ?"
        case .delete:
            "DELETE FROM responses WHERE id = ? RETURNING body_byte_count + length(metadata), file"
        case .deleteBody: "DELETE FROM bodies WHERE id = ?"
        case .oldest: "SELECT id FROM responses ORDER BY used LIMIT ?"
        case .unusedSince: "SELECT id FROM responses WHERE used < ? ORDER BY used LIMIT ?"
        case .ofResource: "SELECT id FROM responses WHERE resource = ?"
        case .ofPartition: "SELECT id FROM responses WHERE partition = ?"
        case .allFiles: "SELECT file FROM responses WHERE file IS NOT NULL"
        case .use: "UPDATE responses SET used = max(used, ?) WHERE id = ?"
        // In this order, the index on keys is all that has to be read.
        case .keys: "SELECT id, key FROM responses ORDER BY key"
        case .keysAfter: "SELECT id, key FROM responses WHERE id > ?"
        case .filesInFolder: "SELECT file FROM responses WHERE file >= ? AND file < ?"
        case .usageOfPartition: Self.sum + " WHERE partition = ?"
        case .usageOfNoPartition: Self.sum + " WHERE partition IS NULL"
        case .sums: Self.sum
        case .entries:
            """
            SELECT id, key, partition, stored, used, body_byte_count, body_crc, row_crc, file, origin, metadata
            FROM responses WHERE id > ? ORDER BY id LIMIT ?
            """
        // In place of another one it gets a new ID: the IDs are in the order of keeping.
        case .keepImpression: "INSERT OR REPLACE INTO impressions (resource, partition, record) VALUES (?, ?, ?)"
        case .dropImpressions: "DELETE FROM impressions WHERE id <= (SELECT max(id) FROM impressions) - ?"
        case .impressions: "SELECT resource, partition, record FROM impressions ORDER BY id DESC LIMIT ?"
        case .deleteImpressionsOfResource: "DELETE FROM impressions WHERE resource = ?"
        case .deleteImpressionsOfPartition: "DELETE FROM impressions WHERE partition = ?"
        }
    }

    private static let sum = "SELECT count(*), ifnull(sum(body_byte_count + length(metadata)), 0) FROM responses"
}

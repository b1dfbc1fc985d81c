import Foundation

// What names an entry on disk: digests under the store's own key, so that neither the index nor a file name tells a URL,
// a credential or an account. Without a lasting name there is no digest, and nothing is written.

extension FetchKey {
    /// The key as a store on disk knows it; `nil` if its partition lasts no longer than the process.
    func diskDigest(_ key: DigestKey) -> Digest? {
        var hash = DigestBuilder(by: key)
        URLNormalization(signatures).append(url, to: &hash)
        if let partition {
            guard partition.isLasting else { return nil }
            hash.append(1 as UInt8)
            hash.append(partition.name)
        } else {
            hash.append(0 as UInt8)
        }
        Self.append(method: method, fields: fields, body: body, to: &hash)
        return hash.finish()
    }
}

extension ResourceID {
    /// The resource as a store on disk knows it; `nil` for one that is named by bytes, whose name isn't kept.
    func diskDigest(_ key: DigestKey) -> Digest? {
        var hash = DigestBuilder(by: key)
        switch name {
        case .text(let text):
            hash.append(0 as UInt8)
            hash.append(text)
        case .url(let url):
            hash.append(1 as UInt8)
            URLNormalization.known.append(url, to: &hash)
        case .message(let message):
            hash.append(2 as UInt8)
            URLNormalization.known.append(message.url, to: &hash)
            FetchKey.append(method: message.method, fields: message.fields, body: message.body, to: &hash)
        case .bytes:
            return nil
        }
        return hash.finish()
    }
}

extension Partition {
    /// The partition as a store on disk knows it; `nil` if it lasts no longer than the process.
    func diskDigest(_ key: DigestKey) -> Digest? {
        guard isLasting else { return nil }
        var hash = DigestBuilder(by: key)
        hash.append(3 as UInt8)
        hash.append(name)
        return hash.finish()
    }
}

extension Digest {
    /// Reads what has been stored; `nil` for what isn't a digest.
    init?(stored bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// The digest as it is stored: 16 bytes.
    var bytes: [UInt8] { withBytes { Array($0) } }

    /// Gives the same without making an array.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: (high.littleEndian, low.littleEndian), body)
    }
}

package import Foundation

extension HTTPCache.StoredHead {
    private static let formatVersion: UInt8 = 2

    /// The head as bytes, for a store to keep beside the body.
    ///
    ///     version  status  request time  response time  fields                     varying  redirection
    ///     1 byte   u16     f64           f64            u32 count, then per line:  likewise flags
    ///                                                   u32 length, name,
    ///                                                   u32 length, value
    ///
    /// The flags are a byte: 1 that there were redirects, 2 and 4 what they forbid. After 1 follow the digest of where
    /// they led to (2 x u64) and when they go stale (f64). Numbers are little-endian; times are seconds since the reference date.
    ///
    /// - Parameter isKept: Which fields of the response are written, by their names; all, if it isn't asked.
    package func encoded(keeping isKept: ((String) -> Bool)? = nil) -> Data {
        var fields = self.fields
        // Keeping everything would still copy.
        if let isKept, fields.containsName(where: { !isKept($0) }) { fields.removeAll { !isKept($0.name) } }
        let byteCount =
            28 + (redirection == nil ? 0 : 24) + Self.byteCount(of: fields) + Self.byteCount(of: varyingFields)
        // Written before there is a Data: what is written into one goes through its checks piece by piece.
        return withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 1) { bytes in
            var writer = Writer(bytes: bytes)
            writer.write(Self.formatVersion)
            writer.write(UInt16(clamping: status))
            writer.write(requestTime.timeIntervalSinceReferenceDate.bitPattern)
            writer.write(responseTime.timeIntervalSinceReferenceDate.bitPattern)
            writer.write(fields)
            writer.write(varyingFields)
            writer.write(redirection)
            return Data(bytes)
        }
    }

    /// Reads what ``encoded(keeping:)`` wrote; `nil` for anything else.
    package init?(encoded data: Data) {
        let head = data.withUnsafeBytes { bytes -> Self? in
            var reader = Reader(bytes: bytes)
            guard reader.number(UInt8.self) == Self.formatVersion, let status = reader.number(UInt16.self),
                let requested = reader.number(UInt64.self), let responded = reader.number(UInt64.self),
                let fields = reader.fields(), let varying = reader.fields(), let redirection = reader.redirection(),
                reader.isAtEnd
            else { return nil }
            return Self(
                status: Int(status), fields: fields,
                requestTime: Date(timeIntervalSinceReferenceDate: Double(bitPattern: requested)),
                responseTime: Date(timeIntervalSinceReferenceDate: Double(bitPattern: responded)),
                varyingFields: varying, redirection: redirection)
        }
        guard let head else { return nil }
        self = head
    }

    private static func byteCount(of fields: HTTPFields) -> Int {
        fields.reduce(0) { $0 + 8 + $1.name.utf8.count + $1.value.utf8.count }
    }

    /// Writes numbers and strings one after the other into a buffer that has room for them.
    private struct Writer {
        let bytes: UnsafeMutableRawBufferPointer
        var position = 0

        mutating func write<Number: FixedWidthInteger>(_ number: Number) {
            bytes.storeBytes(of: number.littleEndian, toByteOffset: position, as: Number.self)
            position += MemoryLayout<Number>.size
        }

        mutating func write(_ text: String) {
            write(UInt32(text.utf8.count))
            text.withBytes { utf8 in
                UnsafeMutableRawBufferPointer(rebasing: bytes[position...])
                    .copyMemory(from: UnsafeRawBufferPointer(utf8))
            }
            position += text.utf8.count
        }

        mutating func write(_ redirection: HTTPCache.Redirection?) {
            guard let redirection else { return write(0 as UInt8) }
            write(1 | (redirection.validatesFirst ? 2 : 0) | (redirection.isNoCache ? 4 : 0) as UInt8)
            write(redirection.target.high)
            write(redirection.target.low)
            write(redirection.staleAt.bitPattern)
        }

        mutating func write(_ fields: HTTPFields) {
            write(UInt32(fields.count))
            for field in fields {
                write(field.name)
                write(field.value)
            }
        }
    }

    /// Reads numbers and strings from bytes that may end anywhere.
    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        /// The offset of the next `count` bytes, if there are as many.
        mutating func take(_ count: Int) -> Int? {
            guard count <= bytes.count - position else { return nil }
            defer { position += count }
            return position
        }

        mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
            take(MemoryLayout<Number>.size).map {
                Number(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Number.self))
            }
        }

        mutating func string() -> String? {
            guard let number = number(UInt32.self), let start = take(Int(clamping: number)) else { return nil }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        mutating func redirection() -> HTTPCache.Redirection?? {
            guard let flags = number(UInt8.self), flags < 8 else { return nil }
            guard flags & 1 != 0 else { return flags == 0 ? .some(nil) : nil }
            guard let high = number(UInt64.self), let low = number(UInt64.self), let staleAt = number(UInt64.self)
            else { return nil }
            return HTTPCache.Redirection(
                target: .init(high: high, low: low), staleAt: Double(bitPattern: staleAt),
                validatesFirst: flags & 2 != 0, isNoCache: flags & 4 != 0)
        }

        mutating func fields() -> HTTPFields? {
            guard let count = number(UInt32.self) else { return nil }
            var result = HTTPFields()
            for _ in 0..<count {
                guard let name = string(), let value = string() else { return nil }
                result.append(name, value)
            }
            return result
        }
    }
}

package import Foundation

extension HTTPCache.StoredHead {
    private static let formatVersion: UInt8 = 1

    /// The head as bytes, for a store to keep beside the body.
    ///
    ///     version  status  request time  response time  fields                       varying fields
    ///     1 byte   u16     f64           f64            u32 count, then per line:    likewise
    ///                                                   u32 length, name, u32 length, value
    ///
    /// Numbers are little-endian; times are seconds since the reference date.
    package func encoded() -> Data {
        var bytes: [UInt8] = []
        let textByteCount = (Array(fields) + Array(varyingFields)).reduce(0) {
            $0 + 8 + $1.name.utf8.count + $1.value.utf8.count
        }
        bytes.reserveCapacity(27 + textByteCount)
        bytes.append(Self.formatVersion)
        bytes.append(UInt16(clamping: status))
        bytes.append(requestTime.timeIntervalSinceReferenceDate.bitPattern)
        bytes.append(responseTime.timeIntervalSinceReferenceDate.bitPattern)
        for list in [fields, varyingFields] {
            bytes.append(UInt32(list.count))
            for field in list {
                bytes.append(field.name)
                bytes.append(field.value)
            }
        }
        return Data(bytes)
    }

    /// Reads what ``encoded()`` wrote; `nil` for anything else.
    package init?(encoded data: Data) {
        var reader = Reader(bytes: Array(data))
        guard reader.number(UInt8.self) == Self.formatVersion, let status = reader.number(UInt16.self),
            let requested = reader.number(UInt64.self), let responded = reader.number(UInt64.self),
            let fields = reader.fields(), let varying = reader.fields(), reader.isAtEnd
        else { return nil }
        self.status = Int(status)
        self.fields = fields
        self.requestTime = Date(timeIntervalSinceReferenceDate: Double(bitPattern: requested))
        self.responseTime = Date(timeIntervalSinceReferenceDate: Double(bitPattern: responded))
        self.varyingFields = varying
    }

    /// Reads numbers and strings from bytes that may end anywhere.
    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= bytes.count - position else { return nil }
            defer { position += count }
            return bytes[position..<position + count]
        }

        mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
            take(MemoryLayout<Number>.size)?.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
        }

        mutating func string() -> String? {
            guard let count = number(UInt32.self) else { return nil }
            return take(Int(count)).map { String(decoding: $0, as: UTF8.self) }
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

extension [UInt8] {
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends the length and the UTF-8.
    fileprivate mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

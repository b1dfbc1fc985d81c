import Foundation

/// File names as strings, without loss. On Linux a name is bytes, mostly but not always UTF-8.
///
/// A byte that isn't part of valid UTF-8 becomes a scalar of U+10FF80...U+10FFFF: the last private-use characters, which
/// no one uses. So that every name comes back as it was, these characters themselves are taken apart into such bytes.
enum FileName {
    private static let escapes: ClosedRange<UInt32> = 0x10_FF80...0x10_FFFF

    /// The string for a name that ends with NUL.
    static func decoded(_ name: UnsafePointer<CChar>) -> String {
        decoded(UnsafeRawBufferPointer(start: name, count: strlen(name)).map { $0 })
    }

    static func decoded(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self), isPlain(text) { return text }
        var text = ""
        var rest = bytes[...]
        while let byte = rest.first {
            let scalar = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
            if let scalar, isPlain(scalar) {
                text += scalar
                rest.removeFirst(scalar.utf8.count)
            } else {
                text.unicodeScalars.append(Unicode.Scalar(0x10_FF00 + UInt32(byte)) ?? "\u{FFFD}")
                rest.removeFirst()
            }
        }
        return text
    }

    /// The name's bytes and a NUL, for system calls. A string with a NUL of its own ends there.
    static func encoded(_ text: String) -> [CChar] {
        var bytes: [CChar] = []
        bytes.reserveCapacity(text.utf8.count + 1)
        for scalar in text.unicodeScalars {
            if escapes ~= scalar.value {
                bytes.append(CChar(bitPattern: UInt8(truncatingIfNeeded: scalar.value)))
            } else {
                for byte in UTF8.encode(scalar)! { bytes.append(CChar(bitPattern: byte)) }
            }
        }
        bytes.append(0)
        return bytes
    }

    /// Whether the name is UTF-8, so that a URL can hold it.
    static func isPlain(_ text: String) -> Bool {
        !text.unicodeScalars.contains { escapes ~= $0.value }
    }
}

extension String {
    /// The text as it may go to a terminal or a log: control characters and those that turn the direction of writing
    /// are spelled out, what isn't Unicode is a question mark in a box.
    var printable: String {
        guard unicodeScalars.contains(where: { !$0.isPrintable }) else { return self }
        return unicodeScalars.map { scalar in
            if scalar.isPrintable { return String(scalar) }
            return scalar.value > 0xFFFF ? "\u{FFFD}" : "\\u{" + String(scalar.value, radix: 16) + "}"
        }.joined()
    }

    /// The text with spaces behind it.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

    /// The text with spaces before it.
    func rightAligned(to width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        // The zero-width joiner is part of many emoji.
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: value == 0x200D
        // The last two of the escapes are no characters at all.
        default: value & 0xFFFE != 0xFFFE
        }
    }
}

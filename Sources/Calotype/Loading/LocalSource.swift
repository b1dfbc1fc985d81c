import Foundation

/// Images in files.
enum FileSource {
    /// The bytes of a file.
    static func read(_ url: URL, _ limits: ImageLimits) async throws -> Data {
        let path = url.path(percentEncoded: false)
        return try await BlockingWork.run { try read(path, limits) }
    }

    private static func read(_ path: String, _ limits: ImageLimits) throws -> Data {
        // Without O_NONBLOCK a pipe that nobody writes to would hold the thread for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure() }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure() }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            throw ImageError(.source, .fileUnreadable(isFolder ? EISDIR : ENOTSUP))
        }
        guard status.st_size <= limits.bodyByteCount else {
            throw ImageError(
                .source, .bodyTooLarge(byteCount: Int64(status.st_size), limit: Int64(limits.bodyByteCount)))
        }
        do {
            // The file may have grown meanwhile: no more than the limit and one byte that tells.
            return try file.read(upToCount: max(limits.bodyByteCount, limits.bodyByteCount &+ 1)) ?? Data()
        } catch {
            throw ImageError(.source, .fileUnreadable(EIO), underlying: error)
        }
    }

    private static func failure() -> ImageError {
        errno == ENOENT ? ImageError(.source, .fileNotFound) : ImageError(.source, .fileUnreadable(errno))
    }
}

/// Images in `data:` URLs.
///
/// - Source: RFC 2397.
enum DataURL {
    static func decode(_ url: URL, _ limits: ImageLimits) throws -> Data {
        let text = url.absoluteString
        guard let comma = text.firstIndex(of: ",") else {
            throw ImageError(.request, .invalidRequest("the data URL has no comma before its data"))
        }
        let encoded = text[text.index(after: comma)...]
        guard encoded.utf8.count / 4 * 3 <= limits.bodyByteCount else {
            throw ImageError(
                .source,
                .bodyTooLarge(byteCount: Int64(encoded.utf8.count / 4 * 3), limit: Int64(limits.bodyByteCount)))
        }
        let unescaped = unescape(encoded.utf8)
        guard text[..<comma].lowercased().hasSuffix(";base64") else { return unescaped }
        guard let data = Data(base64Encoded: unescaped, options: .ignoreUnknownCharacters) else {
            throw ImageError(.request, .invalidRequest("the data URL's base64 is broken off"))
        }
        return data
    }

    /// Resolves percent-escapes into bytes. What is no escape stays as it is.
    private static func unescape(_ text: Substring.UTF8View) -> Data {
        func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
            default: nil
            }
        }
        let bytes = Array(text)
        var result = Data(capacity: bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}

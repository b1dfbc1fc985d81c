public import Foundation

extension ServerThumbnails.Server {
    /// Thumbor.
    ///
    ///     https://thumbor.example.com/SIGNATURE/full-fit-in/320x180/filters:no_upscale()/https%3A%2F%2Fphotos.example…
    ///
    /// - Parameters:
    ///   - base: Where it answers.
    ///   - key: Its `SECURITY_KEY`; `nil` asks with unsafe URLs, which it may refuse (`ALLOW_UNSAFE_URL`).
    /// - Source: thumbor.readthedocs.io, "Usage" (image endpoint, fit-in, image size), "Filters" (format, quality,
    ///   no_upscale) and "Security" (HMAC method).
    public static func thumbor(at base: URL, key: String?) -> Self {
        let base = base.textAsBase
        let key = key.map { [UInt8]($0.utf8) }
        return Self("Thumbor", coversWithoutCropping: true) { original, size, style in
            guard !original.isBelow(base) else { return nil }
            let path = thumborPath(of: original, size, style)
            return URL(string: "\(base)/\(key.map { thumborSignature(of: path, key: $0) } ?? "unsafe")/\(path)")
        }
    }

    private static func thumborPath(
        of original: URL, _ size: ServerThumbnails.Size, _ style: ServerThumbnails.Style
    ) -> String {
        var parts: [String] = []
        // With one side alone nothing is cropped: the other one follows.
        if size.width != nil, size.height != nil { parts.append(size.mode == .fill ? "full-fit-in" : "fit-in") }
        parts.append("\(size.width ?? 0)x\(size.height ?? 0)")
        var filters = ["no_upscale()"]
        if let quality = style.quality { filters.append("quality(\(quality))") }
        if let format = style.formatName { filters.append("format(\(format))") }
        parts.append("filters:" + filters.joined(separator: ":"))
        // Escaped whole: what comes after a question mark would be the query of Thumbor's own URL.
        parts.append(original.textForServer.percentEncoded())
        return parts.joined(separator: "/")
    }

    /// The signature of what comes after it in the path, its slash left out.
    static func thumborSignature(of path: String, key: [UInt8]) -> String {
        MessageDigest.hmacSHA1([UInt8](path.utf8), key: key).base64URL(isPadded: true)
    }
}

import Foundation

extension ServerThumbnails.Server {
    /// How the images of an imgix source are named.
    public enum ImgixSource: Sendable, Hashable {
        /// By their path at the origin (web folder, Amazon S3 and its like).
        case path
        /// By their whole URL (web proxy). imgix requires a signature.
        case wholeURL
    }

    /// imgix.
    ///
    ///     https://example.imgix.net/users/1.png?w=640&h=360&fit=max&q=80&fm=webp&s=SIGNATURE
    ///
    /// Sizes are in pixels, so that `dpr` isn't needed. A URL of the source itself keeps its parameters; one that has a size
    /// or a signature already is left alone.
    ///
    /// - Parameters:
    ///   - domain: The source's.
    ///   - token: The source's secure URL token; `nil` asks without a signature.
    ///   - source: How its images are named.
    /// - Source: docs.imgix.com, "Resize fit mode" (max) and "Securing assets"; github.com/imgix/imgix-blueprint, "Securing
    ///   URLs" and "Web proxy sources".
    public static func imgix(domain: String, token: String?, source: ImgixSource = .path) -> Self {
        let base = "https://\(domain)"
        let token = token.map { [UInt8]($0.utf8) }
        // `crop` and `min` crop, and there is no mode that covers without.
        return Self("imgix", coversWithoutCropping: false) { original, size, style in
            let path: String
            var items: [Substring] = []
            if source == .wholeURL, !original.isBelow(base) {
                path = "/" + original.textForServer.percentEncoded()
            } else {
                let parts = original.partsForServer.rest.split(
                    separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
                path = parts[0].isEmpty ? "/" : String(parts[0])
                items = parts.count == 1 ? [] : parts[1].split(separator: "&")
            }
            guard !items.contains(where: { ["w", "h", "s"].contains($0.prefix { $0 != "=" }) }) else { return nil }
            if let width = size.width { items.append("w=\(width)") }
            if let height = size.height { items.append("h=\(height)") }
            items.append("fit=max")
            if let quality = style.quality { items.append("q=\(quality)") }
            if let format = style.formatName { items.append("fm=\(format == "jpeg" ? "jpg" : format)") }
            let signed = "\(path)?\(items.joined(separator: "&"))"
            return URL(string: base + signed + (token.map { "&s=\(imgixSignature(of: signed, token: $0))" } ?? ""))
        }
    }

    /// The signature of a path and its query.
    static func imgixSignature(of text: String, token: [UInt8]) -> String {
        MessageDigest.md5(token + text.utf8).hexadecimal
    }
}

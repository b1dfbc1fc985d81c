public import Foundation

extension ServerThumbnails.Server {
    /// imgproxy, with signed URLs.
    ///
    ///     https://imgproxy.example.com/SIGNATURE/rs:fit:640:360/q:80/aHR0cHM6Ly9waG90b3MuZXhhbXBsZS5jb20vYS5qcGc.webp
    ///
    /// - Parameters:
    ///   - base: Where it answers; with `IMGPROXY_PATH_PREFIX`, if it has one.
    ///   - key: `IMGPROXY_KEY`, hexadecimal.
    ///   - salt: `IMGPROXY_SALT`, hexadecimal.
    /// - Throws: ``ServerThumbnails/InvalidSecret`` for what isn't hexadecimal, and for nothing: imgproxy takes no signature made
    ///   with that.
    /// - Source: docs.imgproxy.net, "Processing an image" (resize, quality, Base64 encoded source URL, extension) and
    ///   "Signing a URL".
    public static func imgproxy(at base: URL, key: String, salt: String) throws -> Self {
        let (key, salt) = (try secret(key, "imgproxy key"), try secret(salt, "imgproxy salt"))
        return imgproxy(base) { imgproxySignature(of: $0, key: key, salt: salt) }
    }

    private static func secret(_ text: String, _ name: String) throws(ServerThumbnails.InvalidSecret) -> [UInt8] {
        guard let bytes = [UInt8](hexadecimal: text), !bytes.isEmpty else {
            throw ServerThumbnails.InvalidSecret(name: name)
        }
        return bytes
    }

    /// imgproxy without signatures, as its default is.
    ///
    /// - Parameter base: Where it answers; with `IMGPROXY_PATH_PREFIX`, if it has one.
    public static func imgproxy(at base: URL) -> Self {
        // Anything may stand where the signature would.
        imgproxy(base) { _ in "unsafe" }
    }

    private static func imgproxy(_ base: URL, signature: @escaping @Sendable (_ path: String) -> String) -> Self {
        let base = base.textAsBase
        // `fill` crops, and there is no type that covers without.
        return Self("imgproxy", coversWithoutCropping: false) { original, size, style in
            guard !original.isBelow(base) else { return nil }
            var path = "/rs:fit:\(size.width ?? 0):\(size.height ?? 0)"
            if let quality = style.quality { path += "/q:\(quality)" }
            path += "/" + [UInt8](original.textForServer.utf8).base64URL(isPadded: false)
            if let format = style.formatName { path += ".\(format == "jpeg" ? "jpg" : format)" }
            return URL(string: "\(base)/\(signature(path))\(path)")
        }
    }

    /// The signature of what comes after it in the path.
    static func imgproxySignature(of path: String, key: [UInt8], salt: [UInt8]) -> String {
        MessageDigest.hmacSHA256(salt + path.utf8, key: key).base64URL(isPadded: false)
    }
}

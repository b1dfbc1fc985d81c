import Foundation

extension ServerThumbnails.Server {
    /// Cloudinary: its own images, as uploaded, and those that it fetches from other hosts.
    ///
    ///     https://res.cloudinary.com/demo/image/upload/c_limit,h_240,w_320/f_webp/v1312461204/sample.jpg
    ///     https://res.cloudinary.com/demo/image/fetch/if_ar_gt_320:240/c_limit,h_240/if_else/c_limit,w_320/if_end/https://…
    ///
    /// - Parameters:
    ///   - cloudName: The product environment.
    ///   - secret: Its API secret, which signs URLs: for programs that run where only you can read them. Cloudinary says
    ///     to keep it out of apps. `nil` asks without a signature, as is enough unless strict transformations are on.
    ///   - host: Where it answers, if not at res.cloudinary.com: a private CDN, say, whose URLs have the cloud's name as
    ///     well.
    /// - Source: cloudinary.com/documentation, "Image resize modes" (limit), "Advanced conditional transformations",
    ///   "Deliver remote media files" and "Generating delivery URL signatures".
    public static func cloudinary(
        cloudName: String, secret: String? = nil, host: String = "res.cloudinary.com"
    ) -> Self {
        let base = "https://\(host)/\(cloudName)/image"
        let secret = secret.map { [UInt8]($0.utf8) }
        return Self("Cloudinary", coversWithoutCropping: true) { original, size, style in
            guard let source = cloudinarySource(of: original, base) else { return nil }
            let steps = cloudinarySteps(size, style).joined(separator: "/")
            // Cloudinary's own libraries leave the version out.
            let signature =
                secret.map { "s--\(cloudinarySignature(of: "\(steps)/\(source.path)", secret: $0))--/" } ?? ""
            return URL(string: "\(base)/\(source.type)/\(signature)\(steps)/\(source.version)\(source.path)")
        }
    }

    /// How Cloudinary names an image; `nil` for what is a transformed image of its own, or not an image's.
    private static func cloudinarySource(
        of original: URL, _ base: String
    ) -> (type: String, version: String, path: String)? {
        let text = original.textForServer
        guard original.isBelow(base) else { return ("fetch", "", text.percentEncoded(sparing: "/:")) }
        let uploads = base + "/upload/"
        guard text.hasPrefix(uploads) else { return nil }
        let path = text.dropFirst(uploads.count)
        // A name may have folders; a transformation has a comma, or begins with the letter of a parameter.
        let first = path.prefix { $0 != "/" }
        if first.first == "v", first.count > 1, first.dropFirst().allSatisfy(\.isNumber) {
            return ("upload", first + "/", String(path.dropFirst(first.count + 1)))
        }
        let isChanged = first.hasPrefix("s--") || first.contains(",") || first.dropFirst().first == "_"
        return isChanged ? nil : ("upload", "", String(path))
    }

    private static func cloudinarySteps(_ size: ServerThumbnails.Size, _ style: ServerThumbnails.Style) -> [String] {
        let (width, height) = (size.width.map { "w_\($0)" }, size.height.map { "h_\($0)" })
        var steps: [String]
        if size.mode == .fill, let width, let height {
            // The box is covered by the side along which the picture has less to spare.
            steps = [
                "if_ar_gt_\(width.dropFirst(2)):\(height.dropFirst(2))", "c_limit,\(height)", "if_else",
                "c_limit,\(width)", "if_end",
            ]
        } else {
            steps = [(["c_limit"] + [height, width].compactMap { $0 }).joined(separator: ",")]
        }
        let format = style.formatName.map { "f_\($0 == "jpeg" ? "jpg" : $0)" }
        let encoding = [format, style.quality.map { "q_\($0)" }].compactMap { $0 }
        if !encoding.isEmpty { steps.append(encoding.joined(separator: ",")) }
        return steps
    }

    /// The signature of the transformation and the public ID.
    static func cloudinarySignature(of path: String, secret: [UInt8]) -> String {
        String(MessageDigest.sha1([UInt8](path.utf8) + secret).base64URL(isPadded: false).prefix(8))
    }
}

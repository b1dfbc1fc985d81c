public import Foundation

extension ServerThumbnails.Server {
    /// Cloudflare Images: transformations by URL.
    ///
    ///     https://example.com/cdn-cgi/image/width=640,height=360,fit=scale-down,quality=80,format=webp/photos/a.jpg
    ///
    /// - Parameter zone: The URL of a zone that has transformations enabled; `nil` asks the zone of each image itself.
    /// - Source: developers.cloudflare.com/images, "Transform via URL" (URL breakdown, width, height, fit, quality, format).
    public static func cloudflare(zone: URL? = nil) -> Self {
        // `cover` and `crop` crop, and there is no fit that covers without.
        Self("Cloudflare Images", coversWithoutCropping: false) { original, size, style in
            let (origin, rest) = original.partsForServer
            guard !rest.hasPrefix("/cdn-cgi/") else { return nil }
            let base = zone?.textAsBase ?? String(origin)
            // An image of the zone itself is named by its path.
            let source = base == origin ? String(rest.drop { $0 == "/" }) : original.textForServer
            var options: [String] = []
            if let width = size.width { options.append("width=\(width)") }
            if let height = size.height { options.append("height=\(height)") }
            options.append("fit=scale-down")
            if let quality = style.quality { options.append("quality=\(quality)") }
            // PNG isn't among the formats that can be asked for.
            if let format = style.formatName, format != "png" { options.append("format=\(format)") }
            return URL(string: "\(base)/cdn-cgi/image/\(options.joined(separator: ","))/\(source)")
        }
    }
}

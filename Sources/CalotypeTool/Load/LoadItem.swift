import Calotype
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One image to load, or the reason why there is none.
struct LoadItem: Sendable {
    enum Source: Sendable, Equatable {
        case url(URL)
        case file(String)
        /// What was named can't be loaded; the sentence says why.
        case unusable(String)
    }

    /// Its place among all sources, counted from 1.
    let position: Int
    let source: Source
    /// What it is called in reports.
    let name: Name

    /// A source as reports name it.
    enum Name: Sendable, Equatable, CustomStringConvertible {
        /// As the user wrote it.
        case path(String)
        /// Of a URL the scheme and the host alone: the rest may hold secrets.
        case url(String)

        var description: String {
            switch self {
            case .path(let text), .url(let text): text.printable
            }
        }
    }

    /// The name in the table, where URLs of one host must be told apart.
    var label: String {
        if case .url = name { return "#\(position) \(name)" }
        return name.description
    }

    /// The request; `nil` for what can't be used.
    func request(_ options: LoadOptions) -> ImageRequest? {
        switch source {
        case .unusable:
            return nil
        case .url(let url):
            guard !options.headers.isEmpty, ["http", "https"].contains(url.scheme?.lowercased()) else {
                return ImageRequest(url: url, size: options.requestSize)
            }
            var request = URLRequest(url: url)
            for header in options.headers { request.addValue(header.value, forHTTPHeaderField: header.name) }
            return ImageRequest(urlRequest: request, size: options.requestSize)
        case .file(let path):
            if FileName.isPlain(path) { return ImageRequest(url: URL(filePath: path), size: options.requestSize) }
            // No URL can hold such a name.
            return ImageRequest(id: ResourceID("file \(path)"), size: options.requestSize) {
                try LocalFile.read(path, limit: ImageLimits().bodyByteCount + 1)
            }
        }
    }
}

extension [LoadItem] {
    /// What the operands mean, in their order.
    static func expanding(_ operands: [String]) -> [LoadItem] {
        var found: [(source: LoadItem.Source, name: LoadItem.Name)] = []
        for operand in operands {
            if operand.hasPrefix("@") {
                found += sources(inList: String(operand.dropFirst()))
            } else {
                found += sources(of: operand)
            }
        }
        return found.enumerated().map { LoadItem(position: $0 + 1, source: $1.source, name: $1.name) }
    }

    private static let listByteLimit = 64 << 20

    private static func sources(inList path: String) -> [(LoadItem.Source, LoadItem.Name)] {
        let data: Data
        do throws(FileError) {
            let limit = listByteLimit + 1
            data =
                path == "-" ? try LocalFile.readStandardInput(limit: limit) : try LocalFile.read(path, limit: limit)
        } catch {
            return [(.unusable("Couldn't read the list: \(error.reason)."), .path("@\(path)"))]
        }
        guard data.count <= listByteLimit else {
            return [(.unusable("The list is longer than \(listByteLimit >> 20) MiB. Split it."), .path("@\(path)"))]
        }
        var bytes = [UInt8](data)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
            .map { FileName.decoded([UInt8]($0)).trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        if lines.isEmpty { return [(.unusable("The list names no source."), .path("@\(path)"))] }
        return lines.flatMap(sources(of:))
    }

    private static func sources(of text: String) -> [(LoadItem.Source, LoadItem.Name)] {
        if text.isEmpty { return [(.unusable("The name is empty."), .path("\"\""))] }
        guard !text.utf8.contains(0) else {
            // To the system the name would end there, and be another one.
            return [(.unusable("The name has a NUL in it. If it is of a list, save that as UTF-8."), .path(text))]
        }
        if let scheme = scheme(of: text) {
            guard let url = URL(string: text), url.mayBeLoaded else {
                return [(.unusable("It is no valid URL."), .url("\(scheme) URL"))]
            }
            if scheme == "file" {
                let path = url.path(percentEncoded: false)
                let isPath = path.hasPrefix("/") && !path.contains("\0")
                return isPath ? sources(of: path) : [(.unusable("It is no valid URL of a file."), .url("file"))]
            }
            return [(.url(url), .url(RedactedURL(url).description))]
        }
        guard LocalFile.look(at: text)?.kind == .folder else { return [(.file(text), .path(text))] }
        let entries = ImageFolder.entries(of: text).map { entry -> (LoadItem.Source, LoadItem.Name) in
            switch entry {
            case .image(let path): (.file(path), .path(path))
            case .unreadable(let error): (.unusable("Couldn't \(error.action): \(error.reason)."), .path(error.path))
            }
        }
        return entries.isEmpty ? [(.unusable("The folder has no images in it."), .path(text))] : entries
    }

    /// The scheme in lower case, if the text is a URL: "https" of "https://…", and "data" of "data:…".
    private static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard scheme == "data" || text[colon...].hasPrefix("://"), scheme.first?.isLetter == true,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return nil }
        return scheme
    }
}

extension URL {
    /// Whether an http URL has a host, and a port that there is. What a transport says of others helps nobody.
    fileprivate var mayBeLoaded: Bool {
        guard scheme?.lowercased() == "http" || scheme?.lowercased() == "https" else { return true }
        return host()?.isEmpty == false && 0...65_535 ~= port ?? 0
    }
}

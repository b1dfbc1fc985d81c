import Foundation

/// Gives every source a file of its own in the output folder.
///
/// A source file is called by its own name; what came from a URL by its place and host, since the rest of a URL may be
/// secret. A name that is taken gets a number. No name is that of a file that is itself a source.
struct OutputNames {
    private let folder: String
    private let pathExtension: String
    private let sources: Set<LocalFile.Identity>
    private let digitCount: Int
    private var taken: Set<String> = []
    private var counts: [String: Int] = [:]

    init(folder: String, pathExtension: String, items: [LoadItem]) {
        self.folder = folder
        self.pathExtension = pathExtension
        digitCount = String(items.count).count
        sources = Set(
            items.compactMap { item in
                guard case .file(let path) = item.source else { return nil }
                return LocalFile.look(at: path)?.identity
            })
    }

    /// The path for an item, another one at each call.
    mutating func path(for item: LoadItem) -> String {
        let stem = Self.safe(stem(for: item))
        // Names that differ in case alone are one file on many file systems.
        let key = stem.lowercased()
        while true {
            let count = counts[key, default: 0] + 1
            counts[key] = count
            let name = count == 1 ? stem : "\(stem)-\(count)"
            guard taken.insert(name.lowercased()).inserted else { continue }
            let path = "\(folder == "/" ? "" : folder)/\(name).\(pathExtension)"
            if let there = LocalFile.look(at: path), sources.contains(there.identity) { continue }
            return path
        }
    }

    private func stem(for item: LoadItem) -> String {
        switch item.source {
        case .file(let path):
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
            return String(name[..<dot])
        case .url(let url):
            let position = String(item.position)
            let zeros = String(repeating: "0", count: digitCount - position.count)
            return "\(zeros)\(position)-\(url.host() ?? url.scheme ?? "image")"
        case .unusable:
            return "image"
        }
    }

    /// The text as a file name that is no surprise anywhere: no separators, nothing invisible, no leading dot or
    /// hyphen, and short enough to be followed by a number and an extension.
    static func safe(_ stem: String) -> String {
        var result = ""
        for character in stem {
            let text = String(character)
            let isSafe = text.printable == text && FileName.isPlain(text) && !"/\\:*?\"<>|".contains(character)
            let next = isSafe ? text : "_"
            if result.utf8.count + next.utf8.count > 200 { break }
            result += next
        }
        if result.isEmpty { return "image" }
        return result.hasPrefix(".") || result.hasPrefix("-") ? "_" + result.dropFirst() : result
    }
}

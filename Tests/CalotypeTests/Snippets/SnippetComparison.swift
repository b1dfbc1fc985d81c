import Foundation
import Testing

/// Compares the Swift snippets of the documentation with the files that hold them in functions that compile, and most of
/// them run. A snippet is there if its lines are, one after another, in one of those files; indentation and empty lines
/// don't count.
@Suite("Snippets of the documentation")
struct SnippetComparison {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// What is compiled: here, with the views (`make view-test`), and for Apple platforms (`make typecheck-apple`).
    private static let compiledFolders = [
        "Tests/CalotypeTests/Snippets", "Tests/CalotypeUITests/Snippets", "Tests/AppleSnippets",
    ]

    /// A snippet, or the code in a cell of a table, and where it stands.
    struct Snippet: CustomTestStringConvertible {
        let file: String
        let line: Int
        let lines: [String]

        var testDescription: String { "\(file):\(line)" }
        var text: String { lines.joined(separator: "\n") }
    }

    @Test("every Swift snippet of README, articles and comments is compiled", arguments: try snippets)
    func snippetIsCompiled(_ snippet: Snippet) throws {
        #expect(try Self.compiled().contains { $0.contains("\n\(snippet.text)\n") }, "Not compiled:\n\(snippet.text)")
    }

    @Test("what a table of migration says to write is compiled", arguments: try replacements)
    func replacementIsCompiled(_ snippet: Snippet) throws {
        #expect(try Self.compiled().contains { $0.contains(snippet.text) }, "Not compiled: \(snippet.text)")
    }

    @Test("snippets are found where they are known to be")
    func snippetsAreFound() throws {
        let (snippets, replacements) = (try Self.snippets, try Self.replacements)
        func count(in file: String) -> Int { snippets.count { $0.file == file } }
        #expect(count(in: "README.md") >= 10)
        #expect(count(in: "GettingStarted.md") >= 6)
        #expect(count(in: "ImagePrefetcher.swift") == 1)
        for name in ["AsyncImage", "Nuke", "Kingfisher", "SDWebImage"] {
            #expect(count(in: "MigratingFrom\(name).md") >= 2)
            #expect(replacements.count { $0.file == "MigratingFrom\(name).md" } >= 8)
        }
    }

    // MARK: Reading

    /// The lines of a file, with single spaces and no indentation.
    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.split(separator: " ").joined(separator: " ") }
    }

    private static func compiled() throws -> [String] { try texts.get() }

    private static let texts = Result {
        try compiledFolders.flatMap { folder in try files(below: folder, withExtension: "swift") }
            .map { file in "\n" + (try lines(of: file).filter { !$0.isEmpty }.joined(separator: "\n")) + "\n" }
    }

    private static func files(below path: String, withExtension suffix: String) throws -> [URL] {
        let missing = CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path])
        let folder = root.appending(path: path)
        let enumerator = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        guard let files = enumerator else { throw missing }
        let found = files.compactMap { $0 as? URL }.filter { $0.pathExtension == suffix }
        guard !found.isEmpty else { throw missing }
        return found.sorted { $0.path() < $1.path() }
    }

    private static func articles() throws -> [URL] { try files(below: "Sources", withExtension: "md") }

    /// Snippets are fenced by ```` ```swift ````, in comments after `///`.
    private static var snippets: [Snippet] {
        get throws {
            let files = [root.appending(path: "README.md")] + (try articles())
            let articles = try files.flatMap { try snippets(in: $0) { $0 } }
            let comments = try Self.files(below: "Sources", withExtension: "swift").flatMap { file in
                try snippets(in: file) { line in
                    guard line.hasPrefix("///") else { return "" }
                    return line.dropFirst(3).trimmingCharacters(in: .whitespaces)
                }
            }
            return articles + comments
        }
    }

    private static func snippets(in file: URL, _ text: (String) -> String) throws -> [Snippet] {
        var result: [Snippet] = []
        var begun: (line: Int, lines: [String])?
        for (index, line) in try lines(of: file).map(text).enumerated() {
            if line == "```swift" {
                begun = (index + 1, [])
            } else if line == "```", let ended = begun {
                result.append(Snippet(file: file.lastPathComponent, line: ended.line, lines: ended.lines))
                begun = nil
            } else if !line.isEmpty {
                begun?.lines.append(line)
            }
        }
        return result
    }

    /// The code in the second column of the tables of articles about migration.
    private static var replacements: [Snippet] {
        get throws {
            try articles().filter { $0.lastPathComponent.hasPrefix("MigratingFrom") }.flatMap { file in
                try lines(of: file).enumerated().filter { $0.element.hasPrefix("| `") }.flatMap { index, line in
                    code(in: line.components(separatedBy: " | ").dropFirst().joined()).map {
                        Snippet(file: file.lastPathComponent, line: index + 1, lines: [$0])
                    }
                }
            }
        }
    }

    /// What stands between single backticks. Between double ones are links to symbols, which docc checks.
    private static func code(in text: String) -> [String] {
        let withoutLinks = text.components(separatedBy: "``").enumerated().filter { $0.offset.isMultiple(of: 2) }
        return withoutLinks.flatMap { piece in
            piece.element.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }
                .map(\.element)
        }
    }
}

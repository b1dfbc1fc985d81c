// Checks that every public symbol has a documentation comment, and that no comment describes a parameter that isn't there.
//
//   check-docs SYMBOL-GRAPH ...
//
// Names each symbol that hasn't, and exits with 1; with 2 if it can't read a graph. What the compiler synthesizes and what
// comes with another protocol's documentation isn't looked at: symbol graphs are to be made without either.
import Foundation

struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Identifier: Decodable { let precise: String }
        struct DocComment: Decodable {
            struct Line: Decodable { let text: String }
            let lines: [Line]
        }
        struct Location: Decodable {
            struct Position: Decodable { let line: Int }
            let uri: String
            let position: Position
        }
        struct Signature: Decodable {
            struct Parameter: Decodable {
                let name: String
                let internalName: String?
            }
            let parameters: [Parameter]?
        }
        let kind: Kind
        let identifier: Identifier
        let pathComponents: [String]
        let docComment: DocComment?
        let location: Location?
        let functionSignature: Signature?
    }
    struct Module: Decodable { let name: String }
    let module: Module
    let symbols: [Symbol]
}

extension SymbolGraph.Symbol {
    /// Blocks of extensions are in the graph for the members that they have.
    var needsComment: Bool { kind.identifier != "swift.extension" && kind.identifier != "swift.module" }

    var isDocumented: Bool {
        docComment?.lines.contains { !$0.text.trimmingCharacters(in: .whitespaces).isEmpty } ?? false
    }

    /// The parameters that the comment describes: `- Parameter name:`, or a list below `- Parameters:`.
    var describedParameters: [String] {
        var names: [String] = []
        var listIndentation: Int?
        for line in docComment?.lines.map(\.text) ?? [] {
            let text = line.drop { $0 == " " }
            let indentation = line.count - text.count
            if let start = listIndentation {
                if text.hasPrefix("- "), indentation > start {
                    // Deeper lists belong to a parameter's description.
                    if indentation <= start + 2 { names.append(name(in: text.dropFirst(2))) }
                    continue
                }
                if !text.isEmpty, indentation <= start { listIndentation = nil }
            }
            if text.hasPrefix("- Parameters:") {
                listIndentation = indentation
            } else if text.hasPrefix("- Parameter ") {
                names.append(name(in: text.dropFirst("- Parameter ".count)))
            }
        }
        return names
    }

    private func name(in text: Substring) -> String {
        text.prefix { $0 != ":" }.trimmingCharacters(in: .whitespaces)
    }

    /// Of an enumeration's case they are the labels in its name.
    var parameters: Set<String> {
        let labels = pathComponents.last?.split(separator: "(").dropFirst().first?.split(separator: ":")
        let declared = functionSignature?.parameters?.flatMap { [$0.name, $0.internalName].compactMap(\.self) }
        return Set((labels ?? []).map(String.init) + (declared ?? []))
    }
}

func place(of symbol: SymbolGraph.Symbol, in graph: SymbolGraph) -> String {
    let name = ([graph.module.name] + symbol.pathComponents).joined(separator: ".")
    guard let location = symbol.location, let file = URL(string: location.uri) else { return name }
    return "\(name) (\(file.lastPathComponent):\(location.position.line + 1))"
}

let files = CommandLine.arguments.dropFirst()
guard !files.isEmpty else {
    FileHandle.standardError.write(Data("usage: check-docs SYMBOL-GRAPH ...\n".utf8))
    exit(2)
}

// One symbol may be in several graphs, of several platforms.
var checked: Set<String> = []
var faults: Set<String> = []
for file in files {
    let graph: SymbolGraph
    do {
        graph = try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: URL(filePath: file)))
    } catch {
        FileHandle.standardError.write(Data("check-docs: \(file): \(error)\n".utf8))
        exit(2)
    }
    for symbol in graph.symbols where symbol.needsComment {
        checked.insert(symbol.identifier.precise)
        if !symbol.isDocumented {
            faults.insert("\(place(of: symbol, in: graph)) has no documentation comment.")
        }
        for name in symbol.describedParameters where !symbol.parameters.contains(name) {
            faults.insert("\(place(of: symbol, in: graph)) has no parameter \(name), which its comment describes.")
        }
    }
}
guard checked.count > 500 else {
    FileHandle.standardError.write(Data("check-docs: only \(checked.count) symbols: something is missing.\n".utf8))
    exit(2)
}
print("\(checked.count) public symbols, \(faults.count) faults in their documentation comments")
for fault in faults.sorted() { print("  \(fault)") }
exit(faults.isEmpty ? 0 : 1)

import Foundation

/// Reads a command's options and writes its help from the same table.
///
///     --name value   --name=value   -s value   -sVALUE   --switch   --   operand
///
/// Options and operands may be mixed; after `--` everything is an operand. `-` alone is an operand.
struct OptionParser<Values>: Sendable {
    /// An option, and what it does to the command's values.
    struct Option: Sendable {
        /// With its hyphens: "--size".
        let name: String
        /// One letter with its hyphen, if there is a short form.
        let short: String?
        /// What the help calls the value; `nil` for a switch, which has none.
        let value: String?
        let help: String
        let apply: @Sendable (inout Values, String) throws -> Void

        init(
            _ name: String, short: String? = nil, value: String? = nil, help: String,
            apply: @escaping @Sendable (inout Values, String) throws -> Void
        ) {
            self.name = name
            self.short = short
            self.value = value
            self.help = help
            self.apply = apply
        }
    }

    let options: [Option]

    /// Applies the options to `values`.
    ///
    /// - Returns: The operands, in order.
    /// - Throws: ``UsageError``; ``HelpRequest`` for `--help` or `-h`.
    func parse(_ arguments: [String], into values: inout Values) throws -> [String] {
        var operands: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" { return operands + rest }
            if argument == "--help" || argument == "-h" { throw HelpRequest() }
            guard argument.hasPrefix("-"), argument.count > 1 else {
                operands.append(argument)
                continue
            }
            var (name, value) = split(argument)
            guard let option = options.first(where: { $0.name == name || $0.short == name }) else {
                throw UsageError("There is no option \(UsageError.quoted(name)).\(suggestion(for: name))")
            }
            if let placeholder = option.value {
                if value == nil { value = rest.popFirst() }
                guard value != nil else { throw UsageError("\(option.name) needs a value: \(placeholder).") }
            } else if value != nil {
                throw UsageError("\(option.name) takes no value.")
            }
            try option.apply(&values, value ?? "")
        }
        return operands
    }

    /// The table of options, for a command's help.
    var help: String {
        let names = options.map { option in
            [option.short, option.name].compactMap { $0 }.joined(separator: ", ")
                + (option.value.map { " \($0)" } ?? "")
        }
        let width = names.map(\.count).max() ?? 0
        return zip(names, options).map { name, option in
            let lines = option.help.split(separator: "\n", omittingEmptySubsequences: false)
            return "  \(name.padded(to: width))  "
                + lines.joined(separator: "\n" + String(repeating: " ", count: width + 4))
        }.joined(separator: "\n")
    }

    private func split(_ argument: String) -> (name: String, value: String?) {
        if argument.hasPrefix("--") {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
        }
        let value = argument.dropFirst(2)
        return (String(argument.prefix(2)), value.isEmpty ? nil : String(value))
    }

    /// The option whose first letters are those of `name`.
    private func suggestion(for name: String) -> String {
        let nearest = options.map { ($0.name, $0.name.commonPrefix(with: name).count) }.max { $0.1 < $1.1 }
        guard let nearest, nearest.1 >= 4 else { return "" }
        return " Did you mean \(nearest.0)?"
    }
}

/// The arguments make no sense.
struct UsageError: Error {
    /// What is wrong and what would be right, in sentences. Free of secrets: a value may be a URL with a password.
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// An argument for a message: as it is if it can hold no secret, otherwise without what may be one.
    static func quoted(_ argument: String) -> String {
        let mayBeURL = argument.contains("://") || argument.hasPrefix("data:")
        if mayBeURL || (argument.contains(":") && argument.contains("@")) { return "A URL" }
        return "\"\(argument.printable)\""
    }
}

extension Int {
    /// Reads an option's value.
    ///
    /// - Throws: ``UsageError`` for what is no whole number in the range.
    init(_ text: String, of option: String, in range: ClosedRange<Int>) throws {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text), range ~= number else {
            throw UsageError("\(option) is a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        self = number
    }
}

/// Somebody asked for the command's help.
struct HelpRequest: Error {}

import Calotype
import Foundation

extension Command {
    /// `calo inspect`.
    static let inspect = Command(
        name: "inspect", summary: "say what image files are, and what decoding them takes", help: InspectOptions.help
    ) { arguments in
        let options = try InspectOptions(arguments)
        var code = ExitCode.success
        for name in options.files {
            do {
                let file = try InspectedFile(name, size: options.size)
                Console.print(options.printsJSON ? InspectRecord(file).jsonLine : file.text)
                if case .failure = file.decode { code = .failure }
            } catch {
                if options.printsJSON {
                    Console.print(InspectRecord(name, error).jsonLine)
                } else {
                    Console.complain("\(name.printable): \(reason(error).printable)")
                }
                code = .failure
            }
        }
        return code
    }

    /// What is wrong with a file whose name stands before it.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as FileError where error.code == EISDIR: "it is a folder. Name the files in it."
        case let error as FileError: "\(error.reason)."
        default: "\(error)"
        }
    }
}

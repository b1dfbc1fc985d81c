import Foundation

/// A system call on a file failed.
struct FileError: Error, Equatable, CustomStringConvertible {
    /// What couldn't be done: "write".
    let action: String
    let path: String
    /// The system's number.
    let code: Int32

    init(_ action: String, _ path: String, code: Int32 = errno) {
        self.action = action
        self.path = path
        self.code = code
    }

    /// "can't create the folder out: Permission denied."
    var description: String { "can't \(action) \(path.printable): \(reason)." }

    /// The system's words for the number.
    var reason: String { String(cString: strerror(code)) }
}

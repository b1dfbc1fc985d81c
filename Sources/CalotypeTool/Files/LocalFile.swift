import Foundation

/// Files by their names in bytes.
enum LocalFile {
    /// What a file is known by, whatever it is called.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    enum Kind {
        case regular, folder, other
    }

    /// What is there, symbolic links followed; `nil` if nothing is, or nothing that may be looked at.
    static func look(at path: String) -> (kind: Kind, identity: Identity)? {
        var status = stat()
        guard stat(FileName.encoded(path), &status) == 0 else { return nil }
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            default: .other
            }
        return (kind, Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)))
    }

    /// The first bytes of a file, or all of them.
    ///
    /// - Throws: ``FileError``, also for what is no regular file: a pipe could keep its reader waiting for ever.
    static func read(_ path: String, limit: Int) throws(FileError) -> Data {
        let descriptor = open(FileName.encoded(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError("read", path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError("read", path, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ENOTSUP)
        }
        do {
            return try file.read(upToCount: limit) ?? Data()
        } catch {
            throw FileError("read", path, code: EIO)
        }
    }

    /// The first bytes of standard input, or all of them.
    static func readStandardInput(limit: Int) throws(FileError) -> Data {
        var data = Data()
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while data.count < limit {
            let count = Foundation.read(0, &bytes, min(bytes.count, limit - data.count))
            if count > 0 {
                data.append(contentsOf: bytes[..<count])
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw FileError("read", "standard input")
            }
        }
        return data
    }

    /// Writes a file as a whole or not at all: into a temporary file beside it, which then takes its name.
    static func write(_ data: Data, to path: String) throws(FileError) {
        let file = try TemporaryFile(for: path)
        var failure = file.write(data)
        if failure == 0, rename(file.name, FileName.encoded(path)) != 0 { failure = errno }
        guard failure == 0 else {
            unlink(file.name)
            throw FileError("write", path, code: failure)
        }
    }

    /// Makes a folder for output, unless it is there. If it is, what a process has left in it that was ended while it wrote
    /// goes.
    static func createOutputFolder(_ path: String) throws(FileError) {
        try createFolder(path)
        TemporaryFile.removeLeftovers(in: path)
    }

    /// Makes a folder and those above it, unless they are there.
    static func createFolder(_ path: String) throws(FileError) {
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += part
            if !made.isEmpty, mkdir(FileName.encoded(made), 0o777) != 0 {
                let code = errno
                let kind = look(at: made)?.kind
                guard kind == .folder else {
                    // Where something else is, "File exists" would tell nobody what is wrong.
                    throw FileError("create the folder", path, code: kind == nil ? code : ENOTDIR)
                }
            }
            made += "/"
        }
    }
}

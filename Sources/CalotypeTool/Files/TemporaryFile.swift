import Foundation

/// A file on its way to its name. As long as its process lives it is locked: a program that is ended while it writes leaves a
/// file that nobody has locked, which the next one clears away (``removeLeftovers(in:)``).
///
/// A lock rather than the process's number in the name: numbers are given anew, and mean nothing to another machine or
/// container that has the folder too.
struct TemporaryFile: ~Copyable {
    /// For system calls.
    let name: [CChar]
    private let descriptor: Int32
    /// Refers to the same open file, and so keeps the lock when `descriptor` is closed.
    private let lock: Int32

    /// Makes a hidden file beside what it is to become.
    init(for path: String) throws(FileError) {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        while true {
            let name = FileName.encoded("\(folder).calo-\(UInt64.random(in: 0 ... .max)).tmp")
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw FileError("write", path) }
            // Where there are no locks, nobody else gets one either, and nothing is cleared away.
            _ = flock(descriptor, LOCK_EX)
            var status = stat()
            // Before it was locked, another process may have taken it for a leftover.
            if fstat(descriptor, &status) == 0, status.st_nlink == 0 {
                close(descriptor)
                continue
            }
            self.name = name
            self.descriptor = descriptor
            lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            return
        }
    }

    deinit {
        if lock >= 0 { close(lock) }
    }

    /// Writes everything. To be called once.
    ///
    /// - Returns: The system's number for what went wrong; 0 for nothing.
    borrowing func write(_ data: Data) -> Int32 {
        var failure: Int32 = 0
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, failure == 0 {
                let count = Self.systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failure = errno }
            }
        }
        // A full disk may show no sooner.
        if close(descriptor) != 0, failure == 0 { failure = errno }
        return failure
    }

    /// Removes what processes have left in a folder that were ended while they wrote. What can't be removed stays.
    static func removeLeftovers(in folder: String) {
        guard let names = try? ImageFolder.names(in: folder) else { return }
        for name in names where isTemporary(name) {
            let path = FileName.encoded(folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)")
            // Neither a link nor a pipe is opened.
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            // If it has got its name meanwhile, there is none of this name, and there won't be: names aren't used twice.
            unlink(path)
        }
    }

    /// Whether a name is one that this program gives.
    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasPrefix(".calo-"), name.hasSuffix(".tmp") else { return false }
        let number = name.dropFirst(6).dropLast(4)
        return !number.isEmpty && number.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }

    /// `FileHandle` has a `write` of its own; here it is the system's that says how much was written.
    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Foundation.write(descriptor, bytes.baseAddress, bytes.count)
    }
}

import Foundation

/// The system calls by which a store makes and removes files. Tests put failing ones in their place.
package struct FileCalls: Sendable {
    /// As the system's calls: a negative number is a failure, and `errno` says which.
    package var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int
    package var open: @Sendable (String, Int32) -> Int32
    package var synchronize: @Sendable (Int32) -> Int32
    package var rename: @Sendable (String, String) -> Int32
    package var unlink: @Sendable (String) -> Int32
    package var makeFolder: @Sendable (String) -> Int32
    package var protect: @Sendable (String, SQLiteStore.FileProtection) -> Int32

    /// The system's own.
    package static let system = FileCalls(
        write: { Foundation.write($0, $1.baseAddress, $1.count) },
        open: { Foundation.open($0, $1 | O_CLOEXEC | O_NOFOLLOW, 0o600) },
        synchronize: { fsync($0) },
        rename: { Foundation.rename($0, $1) },
        unlink: { Foundation.unlink($0) },
        makeFolder: { mkdir($0, 0o700) },
        protect: { protect($0, $1) })

    /// Makes a folder that may be there already.
    func createFolder(_ path: String) throws(FileFailure) {
        guard makeFolder(path) != 0 else { return }
        let code = errno
        var status = stat()
        guard code == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw FileFailure("create folder", code: code == EEXIST ? ENOTDIR : code)
        }
    }

    func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                throw FileFailure("write", code: count == 0 ? EIO : errno)
            }
        }
    }

    /// The names in a folder, "." and ".." aside; none if it isn't there.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        while let entry = readdir(stream) {
            // By its address: a copy of the whole field would read beyond the entry, which ends with the name.
            let name = String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Whether something is at `path`, and how long it is.
    static func byteCount(of path: String) -> Int64? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}

/// A system call on a file failed. Says what and why, and no path: that may name the user.
package struct FileFailure: Error, Equatable, CustomStringConvertible {
    /// "write".
    package let operation: String
    /// The system's number.
    package let code: Int32

    package init(_ operation: String, code: Int32 = errno) {
        self.operation = operation
        self.code = code
    }

    /// "can't write: No space left on device".
    package var description: String { "can't \(operation): \(String(cString: strerror(code)))" }
}

/// What a path leads to, whatever its name.
struct FileIdentity: Equatable, Sendable {
    let device: UInt64
    let number: UInt64

    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

/// A lock on a file that ends with its process, however that ends.
///
/// - Owns: The descriptor.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock on a file, which is made if need be.
    ///
    /// - Parameter waits: Whether to wait for whoever has it; if not, there is no lock then.
    init?(_ path: String, waits: Bool) throws(FileFailure) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileFailure("open lock") }
        var result: Int32
        repeat { result = flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) } while result != 0 && errno == EINTR
        // Whoever swept the file away in between had it for that of a process that is gone.
        let isStillThere = result == 0 && FileIdentity(path: path) == FileIdentity(descriptor: descriptor)
        guard isStillThere else {
            let code = errno
            close(descriptor)
            if result != 0, code != EWOULDBLOCK { throw FileFailure("lock", code: code) }
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

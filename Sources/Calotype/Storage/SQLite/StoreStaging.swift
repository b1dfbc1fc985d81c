import Foundation
import Synchronization

/// Where the bodies of one store wait for their place, under the protection of a lock that ends with the process.
///
/// - Isolation: Any thread that may block.
final class StoreStaging: Sendable {
    private let home: StoreHome
    private let state: Mutex<(lock: FileLock, name: String)?>

    init(_ home: StoreHome) {
        self.home = home
        state = Mutex(nil)
    }

    /// A path for a new file. Whoever sweeps leaves it alone while this process lives.
    func newPath() throws -> String {
        "\(home.stagingPath)/\(try claim())-\(Self.randomName())"
    }

    /// Takes a name for this store's files, and a lock under it. Whoever writes to the index has one: if it dies, its lock
    /// file tells that there is something to be swept up.
    @discardableResult
    func claim() throws -> String {
        if let name = state.withLock({ $0?.name }) { return name }
        // Made outside: no lock is held across I/O. Of two that are made at once, one is enough.
        while true {
            let name = Self.randomName()
            guard let lock = try FileLock("\(home.stagingPath)/\(name).lock", waits: false) else { continue }
            return state.withLock { state in
                if state == nil { state = (lock, name) }
                return state?.name ?? name
            }
        }
    }

    /// Ends the protection and leaves the lock file, as a writer does that dies: the next one sweeps.
    func leave() {
        state.withLock { $0 = nil }
    }

    /// Ends the protection, where nothing waits any more.
    func close() {
        guard
            let (lock, name) = state.withLock({ state in
                defer { state = nil }
                return state
            })
        else { return }
        // If it stays, the next one sweeps for nothing.
        _ = home.calls.unlink("\(home.stagingPath)/\(name).lock")
        withExtendedLifetime(lock) {}
    }

    /// The names of writers that are gone without having tidied up.
    func abandoned() -> [String] {
        let own = state.withLock { $0?.name }
        var names = Set(FileCalls.names(in: home.stagingPath).map { String($0.prefix(32)) })
        if let own { names.remove(own) }
        return names.filter { name in
            // Whoever has the lock is gone if it can be had. One that can't be opened is left for another time.
            let path = "\(home.stagingPath)/\(name).lock"
            return (try? FileLock(path, waits: false)) != nil
        }.sorted()
    }

    /// Removes what a writer that is gone has left, unless somebody else is doing that. What stays is tried again with the
    /// next sweep.
    func remove(_ name: String) {
        guard let lock = try? FileLock("\(home.stagingPath)/\(name).lock", waits: false) else { return }
        for file in FileCalls.names(in: home.stagingPath) where file.hasPrefix(name) {
            _ = home.calls.unlink("\(home.stagingPath)/\(file)")
        }
        withExtendedLifetime(lock) {}
    }

    /// 128 random bits, in 32 hexadecimal digits.
    static func randomName() -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: 32) { buffer in
            for half in 0..<2 {
                var bits = UInt64.random(in: .min ... .max)
                for index in 0..<16 {
                    buffer[half * 16 + index] = digits[Int(bits & 15)]
                    bits >>= 4
                }
            }
            return 32
        }
    }
}

/// A body in a file: written under a temporary name, then moved to where a row will look for it.
///
/// - Isolation: Any thread that may block, one call at a time: a writer hands it from the thread that writes files to the
///   one that writes the index. The lock guards what it knows, and is held across no I/O.
/// - Owns: The file, until it has its place and a row has been committed for it.
final class StagedBody: Sendable {
    private struct State {
        var descriptor: Int32
        var path: String
        var file: String?
        var isKept = false
        var checksum = Checksum()
        var byteCount: Int64 = 0
    }

    private let home: StoreHome
    private let state: Mutex<State>

    init(_ home: StoreHome, path: String) throws(FileFailure) {
        self.home = home
        let descriptor = home.calls.open(path, O_WRONLY | O_CREAT | O_EXCL)
        if descriptor < 0 { throw FileFailure("create a body") }
        state = Mutex(State(descriptor: descriptor, path: path))
    }

    deinit {
        let (descriptor, path) = state.withLock { ($0.descriptor, $0.isKept ? nil : $0.path) }
        if descriptor >= 0 { close(descriptor) }
        // If it stays, it is swept up once this process is gone.
        if let path { _ = home.calls.unlink(path) }
    }

    var byteCount: Int64 { state.withLock { $0.byteCount } }
    var checksum: Checksum { state.withLock { $0.checksum } }

    func append(_ bytes: Data) throws {
        var (descriptor, checksum) = state.withLock { ($0.descriptor, $0.checksum) }
        try bytes.withUnsafeBytes { bytes in
            checksum.append(bytes)
            try home.calls.writeAll(bytes, to: descriptor)
        }
        state.withLock { state in
            state.checksum = checksum
            state.byteCount += Int64(bytes.count)
        }
    }

    /// Closes the file, after it has reached the disk if the store promises that.
    func finish() throws(FileFailure) {
        let descriptor = state.withLock { $0.descriptor }
        if home.options.durability == .full, home.calls.synchronize(descriptor) != 0 {
            throw FileFailure("synchronize a body")
        }
        state.withLock { $0.descriptor = -1 }
        if close(descriptor) != 0 { throw FileFailure("close a body") }
    }

    /// Moves the file to its place. Once it is there, it stays there.
    ///
    /// - Returns: Its name below the folder of bodies.
    func place() throws(FileFailure) -> String {
        let (path, placed) = state.withLock { ($0.path, $0.file) }
        if let placed {
            // It lies there from a transaction that failed. Whoever swept meanwhile has taken it away.
            guard FileCalls.byteCount(of: path) != nil else { throw FileFailure("find a body", code: ENOENT) }
            return placed
        }
        let name = StoreStaging.randomName()
        let folder = "\(home.bodiesPath)/\(name.prefix(2))"
        let file = "\(name.prefix(2))/\(name.dropFirst(2))"
        let target = "\(home.bodiesPath)/\(file)"
        if home.calls.rename(path, target) != 0 {
            guard errno == ENOENT else { throw FileFailure("move a body") }
            try home.calls.createFolder(folder)
            if home.calls.rename(path, target) != 0 { throw FileFailure("move a body") }
        }
        state.withLock { state in
            state.path = target
            state.file = file
        }
        if home.options.durability == .full { try synchronize(folder) }
        return file
    }

    private func synchronize(_ folder: String) throws(FileFailure) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure("open folder") }
        defer { close(descriptor) }
        if home.calls.synchronize(descriptor) != 0 { throw FileFailure("synchronize folder") }
    }

    /// A row has been committed for it: it is the store's from now on.
    func keep() { state.withLock { $0.isKept = true } }
}

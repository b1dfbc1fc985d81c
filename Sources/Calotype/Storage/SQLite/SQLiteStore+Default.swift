public import Foundation
import Synchronization

extension SQLiteStore {
    /// Where a program keeps its responses unless it says otherwise: in a folder of the program's own among the user's
    /// caches, which the system or the user may empty at any time.
    ///
    /// On Linux that is `$XDG_CACHE_HOME`, or `~/.cache`, then the program's name and "calotype"; on Apple platforms the
    /// caches folder, then the bundle identifier and "Calotype".
    ///
    /// - Source: XDG Base Directory Specification 0.8: a path that isn't absolute counts for nothing.
    public static var defaultDirectory: URL { directoryOfTests.withLock { $0 } ?? userDirectory }

    private static let directoryOfTests = Mutex<URL?>(nil)

    /// Has ``defaultDirectory`` be another one. For tests of what programs use as it is: they leave nothing among the user's
    /// caches.
    package static func useDirectoryOfTests(_ directory: URL) {
        directoryOfTests.withLock { $0 = directory }
    }

    package static var userDirectory: URL {
        #if os(Linux)
        let environment = ProcessInfo.processInfo.environment
        let caches: URL =
            if let path = environment["XDG_CACHE_HOME"], path.hasPrefix("/") {
                URL(filePath: path, directoryHint: .isDirectory)
            } else {
                URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
                    .appending(path: ".cache", directoryHint: .isDirectory)
            }
        return caches.appending(path: ProcessInfo.processInfo.processName).appending(path: "calotype")
        #else
        return URL.cachesDirectory
            .appending(path: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)
            .appending(path: "Calotype")
        #endif
    }
}

import Calotype
import Foundation

/// Where the default store lies in tests: in a temporary folder, which goes with the process.
///
/// Whoever uses `ImagePipeline.shared` or a pipeline without a store of its own calls ``use()`` first, for the store is made
/// once.
enum DefaultFolder {
    static let url: URL = {
        let url = FileManager.default.temporaryDirectory.appending(path: "calotype-default-\(UUID().uuidString)")
        SQLiteStore.useDirectoryOfTests(url)
        atexit { try? FileManager.default.removeItem(at: DefaultFolder.url) }
        return url
    }()

    static func use() {
        let url = url
        let store = ImagePipeline.defaultStore as? SQLiteStore
        precondition(url == store?.directory, "Something has used the default store before. Let it call this first.")
    }
}

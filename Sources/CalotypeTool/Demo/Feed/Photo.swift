import Foundation

/// A photo of the tool's resources. See Photos/LICENSES.tsv for where they come from.
struct Photo {
    let name: String
    let data: Data

    /// The photos, by name.
    static func all() throws -> [Photo] {
        let folder = Bundle.module.bundleURL.appending(path: "Photos")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            .filter { $0.hasSuffix(".jpg") }.sorted()
            .map { Photo(name: $0, data: try Data(contentsOf: folder.appending(path: $0))) }
    }
}

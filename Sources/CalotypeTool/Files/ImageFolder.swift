import Calotype
import Foundation

/// The images in a folder and the folders in it.
///
/// What counts are regular files whose first bytes are an image's, whatever they are called; and those whose names say
/// that they are images, so that a damaged one is reported rather than passed over. Names that begin with a dot are
/// skipped, and so are symbolic links to folders, which may lead in a circle.
enum ImageFolder {
    /// A file found, or what couldn't be looked at.
    enum Entry: Equatable {
        case image(String)
        case unreadable(FileError)
    }

    /// The entries, sorted by the bytes of their paths.
    static func entries(of folder: String) -> [Entry] {
        var found: [(path: String, entry: Entry)] = []
        var folders = [folder]
        while let folder = folders.popLast() {
            do throws(FileError) {
                for name in try names(in: folder) where !name.hasPrefix(".") {
                    let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
                    let there = LocalFile.look(at: path)
                    let code = errno
                    switch there?.kind {
                    case .folder?: if !isSymbolicLink(path) { folders.append(path) }
                    case .regular?: if isImage(path) { found.append((path, .image(path))) }
                    case .other?: break
                    // A link that leads nowhere is no file.
                    case nil where code == ENOENT || code == ELOOP: break
                    case nil: found.append((path, .unreadable(FileError("look at it", path, code: code))))
                    }
                }
            } catch {
                found.append((folder, .unreadable(error)))
            }
        }
        return found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }.map(\.entry)
    }

    /// The names of what is in a folder, those that begin with a dot included.
    static func names(in folder: String) throws(FileError) -> [String] {
        guard let stream = opendir(FileName.encoded(folder)) else { throw FileError("read the folder", folder) }
        defer { closedir(stream) }
        var names: [String] = []
        // By its address: a copy of the whole field would read beyond the entry, which ends with the name.
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        while let entry = readdir(stream) {
            let name = UnsafeRawPointer(entry) + offset
            names.append(FileName.decoded(name.assumingMemoryBound(to: CChar.self)))
        }
        return names
    }

    private static func isSymbolicLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(FileName.encoded(path), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func isImage(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        if let dot = name.lastIndex(of: "."), extensions.contains(name[name.index(after: dot)...].lowercased()) {
            return true
        }
        return beginsAsImage(path)
    }

    /// Whether the first bytes of a file are an image's.
    static func beginsAsImage(_ path: String) -> Bool {
        guard let head = try? LocalFile.read(path, limit: 4096), head.count >= 16 else { return false }
        return ImageHeader.parse(head) != .notAnImage
    }

    private static let extensions: Set<String> = [
        "apng", "avif", "bmp", "gif", "heic", "heif", "jpe", "jpeg", "jpg", "jxl", "png", "tif", "tiff", "webp",
    ]
}

import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeTool

@Suite("calo: files and their names")
struct ToolFileTests {
    @Test(
        "a name comes back as the bytes that it was",
        arguments: [
            Array("plain.jpg".utf8), Array("caf\u{E9} 🇫🇷.jpg".utf8), [0xFF], [0x61, 0xE2, 0x82], [0xC0, 0xAF, 0x62],
            [0xED, 0xA0, 0x80], Array("\u{10FFFE}\u{10FF80}x".utf8), [0xF4, 0x90, 0x80, 0x80], [],
        ] as [[UInt8]])
    func roundTrip(_ bytes: [UInt8]) {
        let encoded = FileName.encoded(FileName.decoded(bytes))
        #expect(encoded.map { UInt8(bitPattern: $0) } == bytes + [0])
    }

    @Test("nothing printed moves the cursor or turns the text around")
    func printable() {
        #expect("a\u{1B}[2J\n\u{202E}b\u{9B}".printable == "a\\u{1b}[2J\\u{a}\\u{202e}b\\u{9b}")
        #expect(FileName.decoded([0x61, 0xFF]).printable == "a\u{FFFD}")
        #expect("日本 👩‍🚀 é.jpg".printable == "日本 👩‍🚀 é.jpg")
    }

    @Test("each source gets an output of its own, whatever it is called")
    func outputNames() throws {
        let items = [
            item(1, .file("a/cat.jpg")), item(2, .file("b/Cat.png")), item(3, .file("cat-2")),
            item(4, .file("..")), item(5, .file(".hidden.jpg")), item(6, .file("-rf.jpg")),
            item(7, .file("a\u{1B}:\\b.jpg")), item(8, .file(String(repeating: "é", count: 300) + ".jpg")),
            item(9, .url(try #require(URL(string: "http://user:secret@img.example.com/secret?secret=1#secret")))),
            item(10, .url(try #require(URL(string: "http://img.example.com/secret")))),
            item(11, .url(try #require(URL(string: "data:image/png;base64,secret")))),
            item(12, .file(FileName.decoded([0x61, 0xFF, 0x2E, 0x6A]))),
        ]
        var names = OutputNames(folder: "out", pathExtension: "png", items: items)
        let paths = items.map { names.path(for: $0) }
        #expect(
            paths[..<7] == [
                "out/cat.png", "out/Cat-2.png", "out/cat-2-2.png", "out/_.png", "out/_hidden.png", "out/_rf.png",
                "out/a___b.png",
            ])
        #expect(
            paths[8...] == [
                "out/09-img.example.com.png", "out/10-img.example.com.png", "out/11-data.png", "out/a_.png",
            ])
        #expect(Set(paths.map { $0.lowercased() }).count == items.count)
        #expect(paths.allSatisfy { $0.utf8.count < 230 && !$0.contains("secret") })
    }

    @Test("a source that lies in the output folder is never overwritten")
    func sourceIsKept() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Data("x".utf8), to: "cat.png")
        let source = item(1, .file(path))
        var names = OutputNames(folder: folder.path, pathExtension: "png", items: [source])
        #expect(names.path(for: source) == folder.path + "/cat-2.png")
    }

    @Test("a file is written as a whole or not at all")
    func writing() throws {
        let folder = try TemporaryFolder()
        try LocalFile.write(Data("one".utf8), to: folder.path + "/a")
        try LocalFile.write(Data("two".utf8), to: folder.path + "/a")
        #expect(try folder.data("a") == Data("two".utf8))
        try LocalFile.createFolder(folder.path + "/deep/er/")
        let error = #expect(throws: FileError.self) { try LocalFile.write(Data(), to: folder.path + "/deep") }
        #expect(error?.code == EISDIR)
        #expect(folder.names(in: "") == ["a", "deep"])
        #expect(throws: FileError.self) { try LocalFile.createFolder(folder.path + "/a/b") }
    }

    @Test("a folder means what is an image inside or claims to be one, in the order of the paths")
    func folder() throws {
        let png = TestImages.solidPNG(width: 2, height: 2, color: .red)
        let folder = try TemporaryFolder()
        for name in ["b.png", "a/z.png", "no-extension", "a.txt-that-is-png.txt", ".hidden/a.png", ".b.png"] {
            try folder.write(png, to: name)
        }
        try folder.write(Data("<html>".utf8), to: "page.jpg")
        try folder.write(Data("a list, longer than sixteen bytes".utf8), to: "list.txt")
        try folder.write(Data(), to: "empty")
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "loop"), withDestinationURL: folder.url)
        #expect(mkfifo(folder.path + "/pipe.png", 0o600) == 0)
        let names = ImageFolder.entries(of: folder.path).map { entry in
            guard case .image(let path) = entry else { return "unreadable" }
            return String(path.dropFirst(folder.path.count + 1))
        }
        #expect(names == ["a.txt-that-is-png.txt", "a/z.png", "b.png", "no-extension", "page.jpg"])
        #expect(
            ImageFolder.entries(of: folder.path + "/nowhere") == [
                .unreadable(FileError("read the folder", folder.path + "/nowhere", code: ENOENT))
            ])
    }

    @Test("a pipe as a source is refused, not waited for")
    func pipe() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(throws: FileError.self) { try LocalFile.read(folder.path + "/pipe", limit: 10) }
    }

    private func item(_ position: Int, _ source: LoadItem.Source) -> LoadItem {
        LoadItem(position: position, source: source, name: .url("test"))
    }
}

@Suite("calo: what is printed")
struct ToolTextTests {
    @Test("numbers are grouped, durations have a tenth")
    func numbers() {
        #expect(
            [0, 12, 999, 1_000, 1_234_567, -1_000].map(\.grouped) == ["0", "12", "999", "1,000", "1,234,567", "-1,000"])
        #expect(Duration.microseconds(12_349).milliseconds == "12.3")
        #expect(Duration.seconds(90).milliseconds == "90000.0")
    }

    @Test("the bar fits into its terminal, and has no color unless asked for")
    func bar() {
        #expect(ProgressBar.line(part: 0.5, text: "1/2", width: 18, usesColor: false) == "[#####-----] 1/2")
        #expect(ProgressBar.line(part: 1, text: "2/2", width: 80, usesColor: true).contains("\u{1B}[36m"))
        for width in 0..<90 {
            let line = ProgressBar.line(part: 2, text: "100/100  1,234,567 bytes", width: width, usesColor: false)
            #expect(line.count < max(width, 1))
        }
    }
}

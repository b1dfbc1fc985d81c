import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeTool

@Suite("calo: what a program that was ended has left", .timeLimit(.minutes(5)))
struct ToolLeftoverTests {
    private let png = TestImages.solidPNG(width: 8, height: 6, color: .red)

    /// Files that are no leftovers: another program's, a folder, a link, and one that is being written.
    private func plant(_ folder: TemporaryFolder) throws -> (kept: [String], writing: FileHandle) {
        try folder.write(Data("x".utf8), to: "out/.calo-1.tmp")
        try folder.write(Data(), to: "out/.calo-18446744073709551615.tmp")
        for name in [".calo-.tmp", ".calo-1.tmp~", ".calo-x.tmp", ".other-1.tmp", "calo-1.tmp", ".calo-4.tmp/a"] {
            try folder.write(Data("x".utf8), to: "out/\(name)")
        }
        let writing = try folder.write(Data("x".utf8), to: "out/.calo-2.tmp")
        // No other program that is begun meanwhile may have it too.
        let file = FileHandle(fileDescriptor: open(writing, O_RDWR | O_CLOEXEC), closeOnDealloc: true)
        #expect(flock(file.fileDescriptor, LOCK_EX) == 0)
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "out/.calo-3.tmp"), withDestinationURL: folder.url)
        let kept = [
            ".calo-.tmp", ".calo-1.tmp~", ".calo-2.tmp", ".calo-3.tmp", ".calo-4.tmp", ".calo-x.tmp", ".other-1.tmp",
            "calo-1.tmp",
        ]
        return (kept, file)
    }

    @Test("the next run into the same folder clears it away, and nothing else")
    func leftovers() async throws {
        let folder = try TemporaryFolder()
        let (kept, writing) = try plant(folder)
        let source = try folder.write(png, to: "in/a.png")
        let run = try await ToolProcess("load", source, "-o", folder.path + "/out")
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.names(in: "out") == (kept + ["a.png"]).sorted())
        // Whoever wrote has ended.
        try writing.close()
        let second = try await ToolProcess("load", source, "-o", folder.path + "/out/")
        #expect(second.status == 0, "\(second.errors)")
        #expect(!folder.names(in: "out").contains(".calo-2.tmp"))
    }

    @Test("what is being written is locked until it has its name")
    func locked() async throws {
        let folder = try TemporaryFolder()
        do {
            let file = try TemporaryFile(for: folder.path + "/a")
            TemporaryFile.removeLeftovers(in: folder.path)
            #expect(folder.names(in: "").count == 1)
            #expect(file.write(png) == 0)
            // Closed for writing, it has only its name to get.
            TemporaryFile.removeLeftovers(in: folder.path)
            #expect(folder.names(in: "").count == 1)
            #expect(rename(file.name, folder.path + "/a") == 0)
        }
        #expect(folder.names(in: "") == ["a"])
        #expect(try folder.data("a") == png)
        // One that never got it.
        do {
            let file = try TemporaryFile(for: folder.path + "/b")
            #expect(file.write(png) == 0)
        }
        #expect(folder.names(in: "").count == 2)
        // A program that is begun in this moment has the file too, until it is itself.
        try await waitUntil {
            TemporaryFile.removeLeftovers(in: folder.path)
            return folder.names(in: "") == ["a"]
        }
        #expect(throws: FileError("write", folder.path + "/nowhere/a", code: ENOENT)) {
            try LocalFile.write(png, to: folder.path + "/nowhere/a")
        }
    }

    @Test("once an interrupt has been heard, another one ends the program, whatever it is doing")
    func secondInterrupt() async throws {
        let folder = try TemporaryFolder()
        // More lines than fit into a pipe that nobody reads: it can't get to its end.
        for index in 1...2_000 { try folder.write(png, to: "in/\(index).png") }
        let running = try ToolProcess.Running(["load", folder.path + "/in", "--json", "-o", folder.path + "/out"])
        await running.waitForOutput()
        try await running.interruptUntilItEnds()
        let run = await running.end()
        #expect(run.status == 128 + SIGINT)
        #expect(run.lines.count < 2_000)
        #expect(!run.errors.contains("interrupted:"))
        let next = try await ToolProcess("load", folder.path + "/in/1.png", "-o", folder.path + "/out")
        #expect(next.status == 0, "\(next.errors)")
        #expect(folder.names(in: "out").allSatisfy { !$0.hasPrefix(".") })
    }
}

// The codecs that it inspects with are Linux's.
#if os(Linux)
import Calotype
import Foundation
import Testing

@Suite("calo inspect, run as a program", .timeLimit(.minutes(5)))
struct ToolInspectTests {
    @Test("a file is described: format, pixels, how they are turned, and what a decode takes")
    func text() async throws {
        let folder = try TemporaryFolder()
        try folder.write(ImageFixture.data("orientation-6.jpg"), to: "turned.jpg")
        try folder.write(ImageFixture.data("progressive.jpg"), to: "progressive.jpg")
        let run = try await ToolProcess(
            "inspect", "--size", "32x", folder.path + "/turned.jpg", folder.path + "/progressive.jpg")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("turned.jpg: JPEG, "))
        #expect(run.output.contains("64 x 48, stored as 48 x 64 and turned"))
        #expect(run.output.contains("to 32 x 24, sRGB, in "))
        #expect(run.output.contains("bytes at the peak, "))
        #expect(run.output.contains(#/progressive.jpg: JPEG, progressive in \d+ scans, /#))
    }

    @Test("what can't be decoded is named with the reason, and the others are described all the same: status 1")
    func failures() async throws {
        let folder = try TemporaryFolder()
        let png = try ImageFixture.data("quadrants.png")
        try folder.write(png.dropLast(20), to: "cut.png")
        try folder.write(Data("<html>".utf8), to: "page.png")
        try folder.write(png, to: "good.png")
        let run = try await ToolProcess(
            ["inspect", folder.path] + ["cut", "page", "none", "good"].map { "\(folder.path)/\($0).png" })
        #expect(run.status == 1)
        #expect(run.output.contains("end      missing"))
        #expect(run.output.contains("no: Couldn't decode an image: the PNG data ends"))
        #expect(run.errors.contains("page.png: Couldn't decode an image: the bytes aren't an image"))
        #expect(run.errors.contains("none.png: No such file"))
        #expect(run.errors.contains("\(folder.path): it is a folder. Name the files in it."))
        #expect(run.output.contains("good.png: PNG"))
    }

    @Test("with --json, each file is an object on a line")
    func json() async throws {
        let folder = try TemporaryFolder()
        try folder.write(ImageFixture.data("quadrants.gif"), to: "a.gif")
        try folder.write(ImageFixture.data("progressive.jpg"), to: "b.jpg")
        let names = ["a.gif", "b.jpg", "none"].map { "\(folder.path)/\($0)" }
        let run = try await ToolProcess(["inspect", "--json"] + names)
        let objects = try run.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        try #require(objects.count == 3)
        #expect(objects.map { $0["status"] as? String } == ["decoded", "decoded", "failed"])
        #expect(objects.map { $0["format"] as? String } == ["GIF", "JPEG", nil])
        #expect(objects[0]["frames"] as? Int == 1)
        #expect((objects[1]["scans"] as? Int ?? 0) > 1 && objects[1]["isProgressive"] as? Bool == true)
        #expect((objects[0]["decodedPixels"] as? [String: Int]) == ["width": 64, "height": 48])
    }
}
#endif

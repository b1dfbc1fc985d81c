import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeTool

@Suite("calo: streams that are closed, full or not read", .timeLimit(.minutes(5)))
struct ToolStreamTests {
    private let png = TestImages.solidPNG(width: 8, height: 6, color: .red)

    @Test(
        "a list that standard input doesn't give is a failure with its reason",
        arguments: [("<&-", "Bad file descriptor"), ("</", "Is a directory")])
    func input(_ redirection: String, _ reason: String) async throws {
        let run = try await ToolProcess.Running(["load", "@-"], shell: #""$@" "# + redirection).end()
        #expect(run.status == 1)
        #expect(run.errors.contains("@-: Couldn't read the list: \(reason)."), "\(run.errors)")
    }

    @Test("what can't be printed is said, with status 1, and what was to be written is written")
    func output() async throws {
        var streams = [(">&-", "Bad file descriptor")]
        if FileManager.default.fileExists(atPath: "/dev/full") {
            streams.append((">/dev/full", "No space left on device"))
        }
        for (redirection, reason) in streams {
            for command in [
                ["load", "-o", "out", "a.png"], ["load", "--json", "-o", "out", "a.png"], ["inspect", "a.png"],
            ] {
                let folder = try TemporaryFolder()
                try folder.write(png, to: "a.png")
                let run = try await ToolProcess.Running(command, folder: folder.url, shell: #""$@" "# + redirection)
                    .end()
                #expect(run.status == 1, "\(command)")
                #expect(run.errors == "calo: can't write to standard output: \(reason).\n")
                #expect(folder.names(in: "out") == (command.contains("-o") ? ["a.png"] : []))
            }
        }
    }

    @Test("nothing that is opened takes the place of a stream that is closed")
    func closedStreams() async throws {
        let server = try LoopbackServer()
        server.respond(to: "/a", with: .ok(png, type: "image/png"))
        let folder = try TemporaryFolder()
        let run = try await ToolProcess.Running(
            ["load", "-o", "out", "--store", "store", server.url("/a").absoluteString], folder: folder.url,
            shell: #""$@" <&- >&- 2>&-"#
        ).end()
        #expect(run.status == 1)
        #expect(try folder.data("out/1-127.0.0.1.png").starts(with: [0x89, 0x50, 0x4E, 0x47]))
        let check = try await ToolProcess("cache", "verify", "--store", folder.path + "/store")
        #expect(check.status == 0, "\(check.all)")
    }

    @Test("when whoever reads has gone, the rest is left, nothing stays half written, and the report is: status 141")
    func reader() async throws {
        let folder = try TemporaryFolder()
        for index in 100..<400 { try folder.write(png, to: "in/\(index).png") }
        let running = try ToolProcess.Running(
            ["load", "in", "-o", "out", "--report", "page.html"], folder: folder.url,
            shell: #"{ { "$@"; echo "status $?" >&2; } | head -1; }"#)
        let run = await running.end()
        #expect(run.lines.count == 1)
        #expect(run.errors == "status 141\n")
        #expect(folder.names(in: "").contains("page.html"))
        #expect(folder.names(in: "out").allSatisfy { $0.hasSuffix(".png") && !$0.hasPrefix(".") })
    }

    @Test("a page is not written over an image, nor over the trace")
    func report() async throws {
        let folder = try TemporaryFolder()
        for name in ["a.png", "b.png"] { try folder.write(png, to: name) }
        // As a shell makes it of `--report *.png`.
        for option in ["--report", "--trace"] {
            let run = try await ToolProcess(["load", option, "a.png", "b.png"], folder: folder.url)
            #expect(run.status == 2)
            #expect(run.errors.contains("\"a.png\" is an image"))
            #expect(run.output.isEmpty)
        }
        #expect(try folder.data("a.png") == png)
        let twice = try await ToolProcess(["load", "--report", "x", "--trace", "x", "a.png"], folder: folder.url)
        #expect(twice.status == 2)
    }

    @Test("what is served stale is validated before the program ends, and stored")
    func staleAnswer() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        let fields = ["Cache-Control": "max-age=0, stale-while-revalidate=600", "ETag": "\"1\""]
        server.route("/a") { [png] request in
            let answer = LoopbackServer.Response.ok(png, type: "image/png")
                .field("Cache-Control", fields["Cache-Control"]!).field("ETag", request.number == 1 ? "\"1\"" : "\"2\"")
            return request.number == 1 ? answer : answer.gated(gate, afterBodyBytes: 20)
        }
        let folder = try TemporaryFolder()
        let arguments = ["load", "--store", folder.path + "/store", server.url("/a").absoluteString]
        #expect(try await ToolProcess(arguments).status == 0)
        let running = try ToolProcess.Running(arguments)
        try await gate.waitUntilHeld()
        gate.open()
        let second = await running.end()
        #expect(second.status == 0)
        #expect(second.errors == "")
        #expect(second.lines.last?.hasPrefix("1 loaded; 1 storage; ") == true)
        let explanation = try await ToolProcess(
            "cache", "explain", "--store", folder.path + "/store", server.url("/a").absoluteString)
        #expect(explanation.output.contains("ETag: \"2\""), "\(explanation.all)")
    }

    @Test(
        "a URL that leads nowhere is said to be one", arguments: ["http://", "https:///a", "http://127.0.0.1:99999/a"])
    func badURL(_ url: String) async throws {
        let run = try await ToolProcess("load", url)
        #expect(run.status == 1)
        #expect(run.errors.contains("It is no valid URL."), "\(run.errors)")
    }

    @Test("a list that is too long, and names that hold a NUL, are said to be so")
    func lists() async throws {
        let folder = try TemporaryFolder()
        try folder.write(png, to: "a.png")
        try folder.write(Data("a.png\0.txt\n".utf8), to: "nul")
        try folder.write(Data("\u{FEFF}a.png".data(using: .utf16LittleEndian) ?? Data()), to: "utf16")
        try folder.write(Data(), to: "long")
        #expect(truncate(folder.path + "/long", (64 << 20) + 1) == 0)
        let run = try await ToolProcess(["load", "@nul", "@utf16", "@long"], folder: folder.url)
        #expect(run.status == 1)
        #expect(run.errors.components(separatedBy: "has a NUL in it").count == 3, "\(run.errors)")
        #expect(run.errors.contains("@long: The list is longer than 64 MiB. Split it."))
    }

    @Test("what can't be looked at in a folder is named; a link that leads nowhere is passed over")
    func folder() throws {
        let folder = try TemporaryFolder()
        for (name, target) in [("a.png", String(repeating: "x", count: 300)), ("b.png", "nowhere"), ("c.png", "c.png")]
        {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/" + name, withDestinationPath: target)
        }
        #expect(
            ImageFolder.entries(of: folder.path) == [
                .unreadable(FileError("look at it", folder.path + "/a.png", code: ENAMETOOLONG))
            ])
        let file = try folder.write(png, to: "file")
        let error = #expect(throws: FileError.self) { try LocalFile.createFolder(file + "/in") }
        #expect(error?.code == ENOTDIR)
    }
}

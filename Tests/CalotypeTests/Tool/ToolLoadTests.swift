import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("calo load, run as a program", .timeLimit(.minutes(5)))
struct ToolLoadTests {
    private let png = TestImages.gradientPNG(width: 60, height: 40)

    @Test(
        "bad usage: status 2, a message on standard error, nothing on standard output",
        arguments: [
            [], ["bogus"], ["load"], ["load", "--size", "0x0", "a"], ["load", "--what", "a"], ["demo", "a"],
            ["load", "--header", "none", "a"], ["load", "--report", "", "a"], ["load", "--show-urls", "a"],
        ])
    func usage(_ arguments: [String]) async throws {
        let run = try await ToolProcess(arguments)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("calo: ") && run.errors.contains("--help"))
    }

    @Test("help and version go to standard output")
    func help() async throws {
        for arguments in ["--help", "load --help", "help load", "load a -h", "demo --help"] {
            let run = try await ToolProcess(arguments.split(separator: " ").map(String.init))
            #expect(run.status == 0 && run.output.contains("usage: calo") && run.errors.isEmpty)
        }
        #expect(try await ToolProcess("--version").output == "calo 0.1.0\n")
    }

    @Test("a folder with a bad file: the good ones are loaded, the bad one is named with its reason, status 1")
    func folder() async throws {
        let folder = try TemporaryFolder()
        try folder.write(png, to: "in/a.png")
        try folder.write(Data("<html>not found</html>".utf8), to: "in/b.jpg")
        try folder.write(png.prefix(png.count / 2), to: "in/c.png")
        let run = try await ToolProcess("load", folder.path + "/in", "--size", "30x", "--output", folder.path + "/out")
        #expect(run.status == 1)
        #expect(run.lines.count == 5)
        #expect(run.lines.dropFirst().first?.contains("60 x 40 -> 30 x 20") == true)
        #expect(run.lines.last?.hasPrefix("1 loaded, 2 failed, 1 written; ") == true)
        #expect(run.errors.contains("2 of 3 failed"))
        #expect(run.errors.contains("in/b.jpg: Couldn't read an image from file: the bytes aren't an image"))
        #expect(run.errors.contains("in/c.png: Couldn't decode an image from file: the PNG data ends"))
        #expect(!run.all.contains("\u{1B}"))
        #expect(folder.names(in: "out") == ["a.png"])
        let written = try await pipeline.image(for: folder.url.appending(path: "out/a.png"))
        #expect(written.pixelSize == PixelSize(width: 30, height: 20))
    }

    #if os(Linux)
    @Test("WebP and GIF files are loaded by their bytes, and written as PNG")
    func webPAndGIF() async throws {
        let folder = try TemporaryFolder()
        let color = { (x: Int, y: Int) in PixelColor(UInt8(x * 4), 0, UInt8(y / 10 * 50)) }
        try folder.write(TestImages.webP(width: 60, height: 40, pixel: color), to: "in/a.webp")
        try folder.write(TestImages.gif(width: 60, height: 40) { x, _ in color(x, 0) }, to: "in/b.gif")
        let run = try await ToolProcess("load", folder.path + "/in", "--size", "30x", "--output", folder.path + "/out")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.filter { $0.contains("60 x 40 -> 30 x 20") }.count == 2)
        #expect(folder.names(in: "out") == ["a.png", "b.png"])
    }
    #endif

    @Test("--json: an object on each line, in the order of the sources")
    func json() async throws {
        struct Line: Decodable {
            struct Size: Decodable, Equatable { let width: Int, height: Int }
            let position: Int, source: String, status: String
            let layer: String?, original: Size?, pixels: Size?, bytes: Int?, output: String?, message: String?
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(png, to: "a \"quoted\"\n.png")
        let run = try await ToolProcess("load", "--json", "-o", folder.path + "/out", path, folder.path + "/none.png")
        #expect(run.status == 1)
        let lines = try run.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        try #require(lines.count == 2)
        #expect(lines.map(\.position) == [1, 2])
        #expect(lines.map(\.status) == ["loaded", "failed"])
        #expect(lines[0].layer == "source")
        #expect(lines[0].original == Line.Size(width: 60, height: 40))
        #expect(lines[0].bytes == png.count)
        #expect(lines[0].output == folder.path + "/out/a _quoted__.png")
        #expect(lines[1].message?.contains("no such file") == true)
        #expect(folder.names(in: "out") == ["a _quoted__.png"])
    }

    @Test("a list names sources on its lines; headers go to http alone")
    func list() async throws {
        let server = try LoopbackServer()
        server.respond(to: "/a.png", with: .ok(png, type: "image/png"))
        let folder = try TemporaryFolder()
        let path = try folder.write(png, to: "b.png")
        let list = "\u{FEFF}# sources\r\n\r\n  \(server.url("/a.png"))  \r\n\(path)"
        let run = try await ToolProcess("load", "-H", "X-Key: v", "@-", input: list)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.count == 4)
        #expect(run.lines[1].contains("network") && run.lines[1].hasSuffix("#1 http://127.0.0.1:\(server.port)"))
        #expect(run.lines[2].contains("source") && run.lines[2].hasSuffix(path))
        #expect(server.requests.map { $0.fields["X-Key"] } == ["v"])
    }

    @Test("a list that can't be read, an empty list and a folder without images are failures")
    func nothing() async throws {
        let folder = try TemporaryFolder()
        let list = try folder.write(Data("# nothing\n".utf8), to: "list")
        let run = try await ToolProcess("load", "@\(list)", "@\(list)-2", folder.path)
        #expect(run.status == 1)
        #expect(run.errors.contains("names no source"))
        #expect(run.errors.contains("No such file"))
        #expect(run.errors.contains("has no images"))
    }

    @Test("nothing of a URL but scheme and host is printed or becomes a file name", arguments: [[], ["--json"]])
    func redaction(_ options: [String]) async throws {
        let server = try LoopbackServer()
        server.route(prefix: "/") { [png] in $0.query == "no" ? .status(404) : .ok(png, type: "image/png") }
        let folder = try TemporaryFolder()
        let urls = ["/SECRET/SECRET.png?SECRET=1#SECRET", "/SECRET?no"].map {
            "http://SECRET:SECRET@127.0.0.1:\(server.port)\($0)"
        }
        let broken = ["http://SECRET:SECRET@[::1/SECRET", "ftp://SECRET:SECRET@host/SECRET", "data:SECRET"]
        let all = ["load", "-o", folder.path + "/out", "-H", "Authorization: SECRET"] + options + urls
        let run = try await ToolProcess(all + broken)
        #expect(run.status == 1)
        #expect(!run.all.contains("SECRET"))
        #expect(folder.names(in: "out") == ["1-127.0.0.1.png"])
        for wrong in [
            ["load", "--size"] + urls, urls, ["load", "--mode", "x:SECRET@b/", "a"], ["load", "--\(urls[0])"],
        ] {
            let run = try await ToolProcess(wrong)
            #expect(run.status == 2)
            #expect(!run.all.contains("SECRET"))
        }
    }

    @Test("--previews adds a column; what is there at once has none")
    func previews() async throws {
        let server = try LoopbackServer()
        server.respond(to: "/a", with: .ok(png, type: "image/png"))
        let url = server.url("/a").absoluteString
        let run = try await ToolProcess("load", "--previews", url)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.first?.contains("previews, first ms  source") == true)
        #expect(run.lines.dropFirst().first?.contains(" -  #1 http") == true)
        #expect(try await !ToolProcess("load", url).output.contains("previews"))
    }

    @Test("--report writes a page of all loads and --trace a trace; URLs are in them only with --show-urls")
    func report() async throws {
        let server = try LoopbackServer()
        server.respond(to: "/secret.png", with: .ok(png, type: "image/png"))
        let folder = try TemporaryFolder()
        let url = server.url("/secret.png").absoluteString
        let outputs = ["--report", folder.path + "/page.html", "--trace", folder.path + "/trace.json"]
        for showsURLs in [false, true] {
            let run = try await ToolProcess(["load"] + outputs + (showsURLs ? ["--show-urls"] : []) + [url, url + "x"])
            #expect(run.status == 1, "\(run.errors)")
            let page = try RecordedPage(Data(contentsOf: folder.url.appending(path: "page.html")))
            #expect(page.data.loads.map(\.outcome).sorted() == ["failed", "network"])
            #expect(page.html.contains("secret.png") == showsURLs)
            let trace = try String(contentsOf: folder.url.appending(path: "trace.json"), encoding: .utf8)
            #expect(trace.contains("traceEvents") && trace.contains("secret.png") == showsURLs)
        }
    }

    @Test("a page that can't be written is a failure, and costs neither the trace nor the sums")
    func unwritableReport() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(png, to: "a.png")
        let trace = folder.path + "/trace.json"
        let run = try await ToolProcess(
            "load", file, folder.path + "/none.png", "--report", folder.path + "/none/page.html", "--trace", trace)
        #expect(run.status == 1)
        #expect(run.lines.last?.hasPrefix("1 loaded, 1 failed; ") == true, "\(run.output)")
        #expect(run.errors.contains("1 of 2 failed"))
        #expect(run.errors.contains("calo: can't write \(folder.path)/none/page.html: "))
        #expect(folder.names(in: "").contains("trace.json"))
    }

    @Test("an interrupt and a SIGTERM stop cleanly: what is done is reported", arguments: [SIGINT, SIGTERM])
    func interrupt(_ signal: Int32) async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.respond(to: "/a", with: .ok(png, type: "image/png"))
        server.respond(to: "/b", with: .ok(png, type: "image/png").gated(gate, afterBodyBytes: 20))
        let folder = try TemporaryFolder()
        let running = try ToolProcess.Running([
            "load", "--jobs", "1", "-o", folder.path + "/out", server.url("/a").absoluteString,
            server.url("/b").absoluteString, server.url("/c").absoluteString,
        ])
        try await gate.waitUntilHeld()
        running.interrupt(by: signal)
        let run = await running.end()
        #expect(run.status == 128 + signal)
        #expect(run.output.contains("1 loaded, 2 cancelled, 1 written"))
        #expect(run.errors.contains("interrupted: 1 of 3"))
        #expect(folder.names(in: "out") == ["1-127.0.0.1.png"])
        #expect(server.requestCount == 2)
    }

    private let pipeline = ImagePipeline(.init(store: nil))
}

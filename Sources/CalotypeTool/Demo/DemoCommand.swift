import Calotype
import CalotypeTesting
import Foundation

extension Command {
    /// `calo demo`.
    static let demo = Command(
        name: "demo", summary: "load photos from a server on this machine, and show what the caches do",
        help: """
            Serves a few photos from 127.0.0.1, loads each at 88 x 88 points at 3x and at its own size, then again, and
            lists what it took. Then come loads that end otherwise: cancelled, missing, and no image at all. Nothing
            leaves this machine.

            usage: calo demo

            The thumbnails and a contact sheet are written to the folder calo-demo.

            Exit status: 0; 1 if anything went otherwise than it should; 2 for arguments, since it takes none.
            """
    ) { arguments in
        if arguments.contains("--help") || arguments.contains("-h") { throw HelpRequest() }
        guard arguments.isEmpty else { throw UsageError("demo takes no arguments.") }
        var demo = try Demo()
        try await demo.run()
        return demo.failures.isEmpty ? .success : .failure
    }
}

/// The demonstration: a server, a pipeline, and what is expected of them.
struct Demo {
    private static let folder = "calo-demo"
    private static let thumbnail = ImageRequest.Size.points(88, 88, scale: 3)

    private let photos: [DemoServer.Photo]
    private let server: DemoServer
    private let pipeline = ImagePipeline(.init(memory: MemoryCache()))
    /// What went otherwise than it should.
    private(set) var failures: [String] = []

    init() throws {
        photos = try DemoServer.Photo.all()
        server = try DemoServer(photos)
    }

    mutating func run() async throws {
        let start = ContinuousClock.now
        try LocalFile.createFolder(Self.folder)
        Console.print(DemoTable.header)
        let cold = try await pass("cold")
        let warm = try await pass("warm")
        check(cold, warm)
        await showFailures()
        try await writeImages()
        for failure in failures { Console.complain("expected otherwise: \(failure)") }
        Console.print("\(failures.isEmpty ? "As expected" : "Not as expected"), in \((.now - start).milliseconds) ms.")
    }

    // MARK: What goes well

    /// A load and the requests that the server got meanwhile.
    private struct Loaded {
        let photo: DemoServer.Photo
        let result: ImageResult
        let requestCount: Int
    }

    private func pass(_ name: String) async throws -> [Loaded] {
        var all: [Loaded] = []
        for (sizeName, size) in [("88 x 88 @3x", Self.thumbnail), ("own", .original)] {
            for photo in photos {
                let before = server.requestCount
                let result = try await pipeline.result(for: ImageRequest(url: server.url(photo), size: size))
                let loaded = Loaded(photo: photo, result: result, requestCount: server.requestCount - before)
                all.append(loaded)
                Console.print(
                    DemoTable.row(
                        pass: name, photo: photo.name, size: sizeName, report: result.report,
                        requestCount: loaded.requestCount))
            }
        }
        return all
    }

    private mutating func check(_ cold: [Loaded], _ warm: [Loaded]) {
        expect(cold.map(\.requestCount).reduce(0, +) == photos.count, "one request for each photo, whatever its sizes")
        expect(warm.allSatisfy { $0.requestCount == 0 }, "no request in the warm pass")
        expect(warm.allSatisfy { $0.result.layer == .memory }, "the warm pass from memory")
        expect(
            zip(cold, warm).allSatisfy { $0.result.image === $1.result.image }, "the same pixels in both passes")
        for loaded in cold.prefix(photos.count) {
            let size = loaded.result.image.pixelSize
            expect(min(size.width, size.height) == 264, "\(loaded.photo.name) just covers 264 x 264")
        }
        for loaded in cold.dropFirst(photos.count) {
            expect(
                loaded.result.image.pixelSize == loaded.result.image.originalPixelSize,
                "\(loaded.photo.name) in its own size")
        }
    }

    // MARK: What doesn't

    private mutating func showFailures() async {
        Console.print("")
        for (path, reason) in DemoServer.broken {
            do {
                _ = try await pipeline.image(for: server.url(path))
                expect(false, "\(path) fails")
            } catch {
                Console.print("\(path.padded(to: 14))\(error)")
                expect((error as? ImageError)?.reason == reason, "\(path) fails because: \(reason)")
            }
        }
        do {
            let load = pipeline.load(ImageRequest(url: server.url(DemoServer.slowPath)))
            try await server.waitUntilSlowIsHeld()
            load.cancel()
            _ = try await load.result
            expect(false, "the cancelled load ends as cancelled")
        } catch {
            expect(error is CancellationError, "the cancelled load ends as cancelled")
        }
        let isClosed = await server.hasSeenCancellation()
        expect(isClosed, "the cancelled load closes its connection")
        Console.print(
            "\(DemoServer.slowPath.padded(to: 14))Cancelled after half of it had come"
                + "\(isClosed ? "; the server saw the connection close" : "").\n")
    }

    // MARK: Files

    private mutating func writeImages() async throws {
        let encoder = ImageEncoder()
        var prints: [Bitmap] = []
        let before = server.requestCount
        for photo in photos {
            let thumbnail = ImageRequest(url: server.url(photo), size: Self.thumbnail)
            guard let image = pipeline.cachedImage(for: thumbnail) else {
                expect(false, "\(photo.name) still in memory")
                continue
            }
            try LocalFile.write(encoder.encoded(image, as: .png), to: "\(Self.folder)/\(photo.stem).png")
            var print = thumbnail
            print.processors = [.crop(toAspectRatio: 1), .roundedCorners(radius: 18)]
            prints.append(try await pipeline.image(for: print).bitmap)
        }
        expect(server.requestCount == before, "the prints are made without a request")

        let sheet = ContactSheet(columnCount: 3, side: 264).bitmap(of: prints)
        let path = "\(Self.folder)/contact-sheet.png"
        try LocalFile.write(encoder.encoded(DecodedImage(bitmap: sheet), as: .png), to: path)
        let readBack = try await pipeline.image(for: URL(filePath: path)).bitmap
        expect(PixelComparison(readBack, sheet).isWithin(.exact), "the contact sheet reads back as it was made")
        Console.print("Wrote \(photos.count) thumbnails and \(path) (\(sheet.size) pixels).")
    }

    private mutating func expect(_ condition: Bool, _ text: String) {
        if !condition { failures.append(text) }
    }
}

/// The table of the passes.
private enum DemoTable {
    static let header = row("pass", "photo", "size", "pixels", "layer", "requests", "bytes", "decode ms")

    static func row(pass: String, photo: String, size: String, report: LoadReport, requestCount: Int) -> String {
        row(
            pass, photo, size, report.pixelSize.description, report.layer.rawValue, "\(requestCount)",
            report.receivedByteCount.grouped, report.times.decode?.milliseconds ?? "-")
    }

    private static func row(
        _ pass: String, _ photo: String, _ size: String, _ pixels: String, _ layer: String, _ requests: String,
        _ bytes: String, _ decode: String
    ) -> String {
        pass.padded(to: 6) + photo.padded(to: 23) + size.padded(to: 13) + pixels.padded(to: 13) + layer.padded(to: 9)
            + requests.rightAligned(to: 8) + bytes.rightAligned(to: 10) + decode.rightAligned(to: 11)
    }
}

import Calotype
import Foundation

/// From a local server to the pixels of a thumbnail, beside what libcurl and libjpeg take for the same by themselves.
enum ImageCase: String, CaseIterable {
    case unstored = "image"
    case stored = "image-stored"

    static let width = 264
    private static let roundCount = 5
    private static let imageCount = 1_000

    /// CPU of the whole process, as a ratio of medians. The two take turns.
    var benchCase: BenchCase {
        let row = BenchRow(
            name: rawValue,
            title: "CPU from a URL to 264 pixels\(self == .stored ? ", and into a store on disk" : ""), "
                + "bare libcurl and libjpeg = 1",
            unit: "x", bound: self == .unstored ? .atMost(2) : nil)
        return BenchCase(.pipeline, row) { row, context in
            #if os(Linux)
            let peer = try Self.peer()
            let (own, floor) = try await LocalNginx.serving(try Self.picture(), in: context) { url in
                var own: [Double] = []
                var floor: [Double] = []
                for _ in 0..<Self.roundCount {
                    let output = try await ChildProcess.run(
                        peer, [url.absoluteString, "\(Self.imageCount)", "\(Self.width)"])
                    guard let number = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                        throw BenchError("The peer printed no number: \(output).")
                    }
                    floor.append(number)
                    let round = ImageRound(imageCase: self, count: Self.imageCount, url: url)
                    own.append(try await context.measure(round.arguments)[0])
                }
                return (own, floor)
            }
            row.measured = .median(own) / .median(floor)
            row.details =
                BenchRow.Detail.spread("Calotype", own, unit: "us an image")
                + BenchRow.Detail.spread("libcurl and libjpeg", floor, unit: "us")
            #else
            throw BenchError("Its peer is for Linux.")
            #endif
        }
    }

    /// Built by `make bench`, below the folder that this program lies in.
    private static func peer() throws -> String {
        let folder = URL(filePath: try ChildProcess.thisProgram()).resolvingSymlinksInPath().deletingLastPathComponent()
        for up in ["", "../", "../../"] {
            let path = folder.appending(path: "\(up)bench/pipeline-peer").standardizedFileURL.path(
                percentEncoded: false)
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw BenchError("There is no peer to compare with: run make bench.")
    }

    /// A photo as a feed's server has them: 800 x 600 pixels.
    private static func picture() throws -> Data {
        let photo = try ImageDecoders.system.decode(try Photo.all()[2].data).bitmap
        let bitmap = photo.resized(to: PixelSize(width: 800, height: 600))
        return try ImageEncoder().encoded(DecodedImage(bitmap: bitmap), as: .jpeg(quality: 88))
    }
}

/// The pipeline's images, in a process of their own: each of a URL that it hasn't seen, six at a time.
struct ImageRound: Sendable {
    let imageCase: ImageCase
    let count: Int
    let url: URL

    init(imageCase: ImageCase, count: Int, url: URL) {
        self.imageCase = imageCase
        self.count = count
        self.url = url
    }

    /// Reads what ``arguments`` gives; `nil` if it is something else.
    init?(_ arguments: [String]) {
        guard arguments.count == 3, let imageCase = ImageCase(rawValue: arguments[0]), let count = Int(arguments[1]),
            let url = URL(string: arguments[2])
        else { return nil }
        self.init(imageCase: imageCase, count: count, url: url)
    }

    var arguments: [String] { [imageCase.rawValue, "\(count)", url.absoluteString] }

    /// User and system time of this process, for one image.
    func cpuMicroseconds() async throws -> Double {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calo-images-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = imageCase == .stored ? SQLiteStore(directory: folder) : nil
        let pipeline = ImagePipeline(.init(memory: MemoryCache(costLimit: 64 << 20), store: store))
        let start = ProcessTime.nanoseconds()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<6 {
                group.addTask {
                    for number in stride(from: client, to: count, by: 6) { try await load(number, pipeline) }
                }
            }
            try await group.waitForAll()
        }
        await pipeline.waitUntilIdle()
        return Double(ProcessTime.nanoseconds() - start) / 1_000 / Double(count)
    }

    private func load(_ number: Int, _ pipeline: ImagePipeline) async throws {
        guard let url = URL(string: "\(url.absoluteString)?\(number)") else { throw BenchError("No URL.") }
        let image = try await pipeline.image(for: ImageRequest(url: url, size: .pixels(ImageCase.width, nil)))
        guard image.pixelSize.width == ImageCase.width else { throw BenchError("\(image.pixelSize) pixels.") }
    }
}

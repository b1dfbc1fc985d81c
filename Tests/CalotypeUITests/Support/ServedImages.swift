import Calotype
import CalotypeTesting
import Foundation
import SwiftUI
import Synchronization
import ViewHost

/// A server with images, a pipeline that loads them, and what the pipeline made of them.
final class ServedImages: Sendable {
    let server: LoopbackServer
    let pipeline: ImagePipeline
    private let reports: ReportLog

    /// - Parameter image: What the server sends for any path.
    init(
        _ image: Data = ServedImages.photo, gate: LoopbackServer.Gate? = nil,
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) throws {
        let server = try LoopbackServer()
        let resource = LoopbackServer.Resource(
            image, type: "image/png", etag: "\"1\"", fields: ["Cache-Control": "max-age=600"])
        server.route(prefix: "/") { request in
            let response = resource.response(to: request)
            return gate.map(response.gated) ?? response
        }
        let reports = ReportLog()
        var configuration = ImagePipeline.Configuration(store: MemoryStore())
        configuration.retry = .none
        configuration.onEvent = { event in
            if case .loaded(let report) = event { reports.add(report) }
        }
        change(&configuration)
        self.server = server
        self.reports = reports
        pipeline = ImagePipeline(configuration)
    }

    /// The sizes that were decoded, in order: what memory had isn't among them.
    var decodedSizes: [PixelSize] {
        reports.all.filter { $0.layer != .memory }.map(\.pixelSize)
    }

    var url: URL { server.url("/photo.png") }

    /// Waits until so many pixels are shown in the first image, and nothing is under way any more.
    @MainActor
    func wait(_ host: ViewHost, for size: PixelSize) async throws {
        try await host.next { $0.images.first?.decoded?.pixelSize == size }
        await settle(host)
    }

    /// Lets everything happen that is under way. For what mustn't happen: a result may take a moment more.
    @MainActor
    func settle(_ host: ViewHost) async {
        var number = -1
        repeat {
            number = host.frame.number
            await turns()
            await pipeline.waitUntilIdle()
            await turns()
            host.render()
        } while host.frame.number != number
    }

    /// Takes turns with whatever else waits for a thread, or for the main actor.
    @MainActor
    func turns(_ count: Int = 30) async {
        for _ in 0..<count { await Task.detached {}.value }
    }

    /// 1,200 by 900 pixels.
    static let photo = file(width: 1_200, height: 900)

    static func file(width: Int, height: Int) -> Data {
        let bitmap = Bitmap(size: PixelSize(width: width, height: height)) { bytes in
            for index in bytes.indices { bytes[index] = 0xFF }
        }
        do {
            return try ImageEncoder().encoded(DecodedImage(bitmap: bitmap), as: .png)
        } catch {
            fatalError("A white image can't be encoded: \(error)")
        }
    }
}

private final class ReportLog: Sendable {
    private let reports = Mutex<[LoadReport]>([])
    var all: [LoadReport] { reports.withLock { $0 } }
    func add(_ report: LoadReport) { reports.withLock { $0.append(report) } }
}

extension Frame {
    /// Where the first image lies.
    var imageRect: CGRect? { elements.first { $0.image != nil }?.rect }
}

extension PixelSize {
    init(_ width: Int, _ height: Int) { self.init(width: width, height: height) }
}

import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

@Suite("A feed of thirty rows")
@MainActor
struct FeedTests {
    private nonisolated static let rowCount = 30

    /// Requests, and frames with a placeholder after the first pass.
    private struct Count: Equatable, CustomStringConvertible {
        var requests = 0
        var returns = 0
        var placeholderFrames = 0

        var description: String {
            "\(requests) requests for \(FeedTests.rowCount) rows that came back \(returns) times, "
                + "\(placeholderFrames) frames with a placeholder after the first pass"
        }
    }

    private struct Feed<Row: View>: View {
        let urls: [URL]
        let asList: Bool
        let row: (URL) -> Row

        var body: some View {
            if asList {
                List(urls, id: \.self) { row($0) }
            } else {
                ScrollView { LazyVStack { ForEach(urls, id: \.self) { row($0) } } }
            }
        }
    }

    /// Scrolls down, up and down, and waits for every row that comes into view.
    private func scroll(_ host: ViewHost, _ server: LoopbackServer) async throws -> Count {
        var count = Count()
        var rows: Set<AnyHashable> = []
        let log = FrameLog(host)
        func visit(_ offset: CGFloat) async throws {
            try host.scroll(to: offset)
            try await host.next { $0.isComplete }
            let visible = Set(host.frame.elements.compactMap(\.ids.first))
            count.returns += visible.subtracting(rows).count
            rows = visible
        }
        let stops = Array(stride(from: 0, through: host.scrollLimit, by: 240)) + [host.scrollLimit]
        for stop in stops { try await visit(stop) }
        log.clear()
        let firstPass = count.returns
        for stop in stops.reversed() + stops { try await visit(stop) }
        await host.settle()
        count.returns -= firstPass
        count.placeholderFrames = log.placeholderCount
        count.requests = server.requestCount
        return count
    }

    @Test("asks for each image once, and never flashes", arguments: [false, true], [false, true])
    func cached(asList: Bool, keepsStateOfRows: Bool) async throws {
        let images = try ImageServer()
        let urls = (0..<Self.rowCount).map { images.serve($0, side: 300) }
        var settings = ViewHost.Settings()
        settings.keepsStateOfRows = keepsStateOfRows
        let host = ViewHost(settings: settings) {
            Feed(urls: urls, asList: asList) { Thumbnail(url: $0) }.imagePipeline(images.pipeline)
        }
        let count = try await scroll(host, images.server)
        print("CachedAsyncImage: \(count)")
        #expect(count.requests == Self.rowCount)
        #expect(count.placeholderFrames == 0)
        #expect(count.returns > Self.rowCount)
        #expect(host.faults.isEmpty)
    }

    @Test("by AsyncImage's rules makes a request each time a row comes back, and flashes")
    func asyncImage() async throws {
        let images = try ImageServer()
        let urls = (0..<Self.rowCount).map { images.serve($0, side: 300) }
        let pipeline = images.pipeline
        var environment = EnvironmentValues()
        environment.asyncImageLoader = AsyncImageLoader { request, scale in
            let request = ImageRequest(urlRequest: request, cachePolicy: .noStore)
            return Image(try await pipeline.image(for: request), scale: scale)
        }
        let host = ViewHost(environment: environment) {
            Feed(urls: urls, asList: false) { url in
                AsyncImage(url: url) { image in
                    image.resizable().scaledToFill()
                } placeholder: {
                    ProgressView()
                }
                .frame(width: 88, height: 88)
            }
        }
        let count = try await scroll(host, images.server)
        print("AsyncImage's rules: \(count)")
        #expect(count.requests == Self.rowCount + count.returns)
        #expect(count.placeholderFrames > 0)
    }
}

import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Server-made thumbnails: what is erased isn't taken for refused any more")
struct ThumbnailRemovalTests {
    enum Removal: String, CaseIterable, Sendable {
        case everything, resource, partition, otherResource, otherPartition

        var forgets: Bool { self == .everything || self == .resource || self == .partition }
    }

    @Test("the image server is asked again for what is removed, and for that alone", arguments: Removal.allCases)
    func forgetting(_ removal: Removal) async throws {
        let origin = try ThumbnailOrigin()
        let fixture = try Fixture { $0.serverThumbnails = origin.thumbnails() }
        let url = fixture.serve("/a", width: 800, height: 600)
        let request = ImageRequest(url: url, size: .pixels(300, nil), partition: "first-account")
        origin.server.route(prefix: "/t/") { _ in .status(404) }
        for _ in 0..<2 {
            fixture.memory.removeAll()
            #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .red)
        }
        #expect(origin.server.requestCount == 1)
        switch removal {
        case .everything: await fixture.pipeline.removeAll()
        case .resource: await fixture.pipeline.invalidate(ResourceID(url: url))
        case .partition: await fixture.pipeline.removePartition("first-account")
        case .otherResource: await fixture.pipeline.invalidate("another")
        case .otherPartition: await fixture.pipeline.removePartition("second-account")
        }
        fixture.memory.removeAll()
        #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .red)
        #expect(origin.server.requestCount == (removal.forgets ? 2 : 1))
    }
}

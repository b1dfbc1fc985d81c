import Calotype
import CalotypeTesting
import Foundation

/// Serves the feed's pictures on 127.0.0.1, as a server far away would: each response takes its time.
struct FeedServer {
    /// What went over the wire.
    struct Traffic: Codable, Equatable {
        var requestCount = 0
        /// Bytes of the bodies that were asked for.
        var byteCount = 0
    }

    /// From a request to its response.
    static let latencyMilliseconds = 40

    private let server: LoopbackServer
    private let byteCounts: [String: Int]

    init(_ pictures: [Data]) throws {
        server = try LoopbackServer()
        var byteCounts: [String: Int] = [:]
        for (row, picture) in pictures.enumerated() {
            let resource = LoopbackServer.Resource(
                picture, type: "image/jpeg", etag: "\"1\"", fields: ["Cache-Control": "max-age=3600"])
            byteCounts[Self.path(of: row)] = picture.count
            server.route(Self.path(of: row)) {
                resource.response(to: $0).delayed(by: .milliseconds(Self.latencyMilliseconds))
            }
        }
        self.byteCounts = byteCounts
    }

    var port: Int { server.port }

    /// The traffic so far.
    var traffic: Traffic {
        server.requests.reduce(into: Traffic()) { traffic, request in
            traffic.requestCount += 1
            traffic.byteCount += byteCounts[request.path] ?? 0
        }
    }

    static func url(of row: Int, port: Int) -> URL {
        URL(string: "http://127.0.0.1:\(port)\(path(of: row))")!
    }

    /// "/feed/01.jpg" for the first row.
    private static func path(of row: Int) -> String { "/feed/\(row < 9 ? "0" : "")\(row + 1).jpg" }
}

extension FeedServer.Traffic {
    static func - (left: Self, right: Self) -> Self {
        Self(requestCount: left.requestCount - right.requestCount, byteCount: left.byteCount - right.byteCount)
    }
}

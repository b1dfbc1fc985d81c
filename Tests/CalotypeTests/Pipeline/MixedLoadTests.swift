import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

@Suite("Mixed loads: every one ends in its image or in its right error")
struct MixedLoadTests {
    /// How the loads ended.
    private struct Totals {
        var images = 0
        var data = 0
        var cancellations = 0
        var expectedErrors = 0
        var surprises: [String] = []

        var all: Int { images + data + cancellations + expectedErrors + surprises.count }
    }

    /// Fewer where every instruction is watched.
    private static let count = ProcessInfo.processInfo.environment["CALOTYPE_SANITIZE"] == nil ? 100_000 : 4_000

    @Test("many loads from 64 tasks, of a server that drops, truncates, delays and fails one request in ten")
    func mixed() async throws {
        let taskCount = 64
        let memory = MemoryCache(costLimit: 300_000)
        let server = try LoopbackServer(logLimit: 100)
        let pictures = (0..<200).map { number in
            TestImages.solidPNG(width: 24 + number % 17, height: 32, color: Self.color(number))
        }
        server.fallback { request in
            let number = Int(request.path.dropFirst()) ?? 0
            let answer = LoopbackServer.Response.ok(
                pictures[number], type: "image/png",
                fields: ["Cache-Control": number % 3 == 0 ? "no-store" : "max-age=1"])
            switch request.number % 40 {
            case 0: return .dropped(resetting: request.number % 80 == 0)
            case 10: return answer.truncated(afterBodyBytes: pictures[number].count / 2)
            case 20: return answer.delayed(by: .milliseconds(20))
            case 30: return .status(503)
            default: return answer
            }
        }
        let store = MemoryStore(byteLimit: 200_000)
        var configuration = ImagePipeline.Configuration(transport: Fixture.transport(), memory: memory, store: store)
        // With a third attempt hardly any load would fail.
        configuration.retry = RetryPolicy(attemptLimit: 2, baseDelay: .milliseconds(10))
        let pipeline = ImagePipeline(configuration)

        let totals = await withTaskGroup(of: Totals.self) { group in
            for task in 0..<taskCount {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(task))
                    var totals = Totals()
                    for _ in 0..<Self.count / taskCount {
                        await Self.load(from: server, pipeline, &random, &totals)
                    }
                    return totals
                }
            }
            return await group.reduce(into: Totals()) { sum, part in
                sum.images += part.images
                sum.data += part.data
                sum.cancellations += part.cancellations
                sum.expectedErrors += part.expectedErrors
                sum.surprises += part.surprises
            }
        }
        #expect(totals.surprises.isEmpty, "\(totals.surprises.prefix(5))")
        #expect(totals.all == Self.count / taskCount * taskCount)
        #expect(totals.images > Self.count / 2 && totals.data > 0 && totals.cancellations > 0)
        #expect(totals.expectedErrors > 0)
        await pipeline.waitUntilIdle()
        #expect(pipeline.jobCounts == (0, 0, 0))
        #expect(memory.totalCost <= 300_000)
        #expect(try await store.usage().byteCount <= 200_000)
    }

    /// One load, and what came of it.
    private static func load(
        from server: LoopbackServer, _ pipeline: ImagePipeline, _ random: inout SeededGenerator, _ totals: inout Totals
    ) async {
        // Most want one of a few pictures, as in a feed; the others any.
        let isPopular = Int.random(in: 0..<4, using: &random) > 0
        let number = Int.random(in: 0..<(isPopular ? 20 : 200), using: &random)
        let policies: [ImageRequest.CachePolicy] = [
            .http, .http, .http, .reload, .revalidate, .storedElseLoad, .noStore,
        ]
        var request = ImageRequest(
            url: server.url("/\(number)"),
            size: [.original, .pixels(12, 12), .pixels(8, 8, .fit)].randomElement(using: &random) ?? .original,
            processors: number % 5 == 0 ? [.circle] : [],
            cachePolicy: policies.randomElement(using: &random) ?? .http,
            partition: number % 7 == 0 ? "account" : nil,
            priority: ImageRequest.Priority.allCases.randomElement(using: &random) ?? .normal)
        // Otherwise hardly a load would fail: those that the server fails are attempted again, or answered stale.
        if number % 4 == 1 { request.retryPolicy = RetryPolicy.none }
        do {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let load = pipeline.load(request)
                if Bool.random(using: &random) { await Task.yield() }
                load.priority = .high
                load.cancel()
                switch await load.outcome {
                case .success: totals.images += 1
                case .failure(let error): throw error
                }
            case 1:
                if try await pipeline.data(for: request).isEmpty { totals.surprises.append("no data") }
                totals.data += 1
            default:
                let bitmap = try await pipeline.image(for: request).bitmap
                let center = bitmap.pixel(bitmap.size.width / 2, bitmap.size.height / 2)
                if center == color(number) {
                    totals.images += 1
                } else {
                    totals.surprises.append("\(number) is \(center)")
                }
            }
        } catch is CancellationError {
            totals.cancellations += 1
        } catch let error as ImageError {
            switch error.reason {
            case .connectionLost, .truncated, .status(503): totals.expectedErrors += 1
            default: totals.surprises.append("\(error)")
            }
        } catch {
            totals.surprises.append("\(error)")
        }
    }

    /// A colour that no other number has.
    private static func color(_ number: Int) -> PixelColor {
        PixelColor(UInt8(number), UInt8(truncatingIfNeeded: number &* 7), UInt8(255 - number))
    }
}

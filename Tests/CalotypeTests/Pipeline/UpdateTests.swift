import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

@Suite("Updates: each answer is told once, whenever somebody begins to read")
struct UpdateTests {
    /// Goes on at once, on the thread that has something to go on with.
    private final class InlineExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    @Test("who begins to read at the very moment of the answer reads it once")
    func atTheMoment() async throws {
        let fixture = try Fixture()
        let gate = ProcessingGate()
        fixture.decoder.hold(at: gate)
        let load = fixture.pipeline.load(ImageRequest(url: fixture.serve("/a")))
        let reader = Task(executorPreference: InlineExecutor()) {
            _ = try await load.result
            // The thread that has brought the answer is still in the midst of it.
            var images = 0
            for await case .image in load.updates { images += 1 }
            return images
        }
        await gate.waitUntilReached()
        gate.open()
        #expect(try await reader.value == 1)
    }
}

import Synchronization
import Testing

@testable import Calotype

@Suite("Spare work: in places that nobody needs")
struct SpareWorkTests {
    private final class Item: WorkItem, @unchecked Sendable {
        override func start() {}
    }

    private let queue = WorkQueue(.init(count: 2, backgroundCount: 1, byteCount: 100))

    /// Waits for a place, in a task of its own, until it stands in the line.
    private func turn() async -> Task<Bool, Never> {
        let count = queue.state.withLock { $0.spareLine.count }
        let task = Task { await queue.takeSparePlace() }
        while queue.state.withLock({ $0.spareLine.count }) == count { await Task.yield() }
        return task
    }

    @Test("there is a place for it while one is free, for as much as the background's share")
    func share() async {
        #expect(await queue.takeSparePlace())
        let second = await turn()
        #expect(queue.counts.spare == 1)
        queue.returnSparePlace()
        #expect(await second.value)
        queue.returnSparePlace()
        #expect(queue.counts == WorkQueue.Counts())
    }

    @Test("it waits while others need every place; the first in line comes first")
    func line() async {
        let items = [Item(), Item(), Item()]
        for item in items { _ = queue.add(item, priority: .normal) }
        #expect(queue.counts.running == 2 && queue.counts.waiting == 1)
        let (first, second) = (await turn(), await turn())
        queue.finish(items[0])
        #expect(queue.counts.running == 2 && queue.counts.spare == 0)
        queue.finish(items[1])
        #expect(queue.counts.running == 1 && queue.counts.spare == 1)
        #expect(await first.value)
        queue.finish(items[2])
        #expect(queue.counts.spare == 1)
        queue.returnSparePlace()
        #expect(await second.value)
    }

    @Test("background work that waits for more than its share leaves it a place")
    func backgroundWaits() async {
        let items = [Item(), Item()]
        for item in items { _ = queue.add(item, priority: .low) }
        #expect(queue.counts.running == 1 && queue.counts.waiting == 1)
        #expect(await queue.takeSparePlace())
    }

    @Test("it takes no place from others, background work included")
    func others() async {
        #expect(await queue.takeSparePlace())
        let items = [Item(), Item(), Item()]
        #expect(queue.add(items[0], priority: .low))
        #expect(queue.add(items[1], priority: .normal))
        #expect(!queue.add(items[2], priority: .normal))
        #expect(queue.counts.running == 2 && queue.counts.spare == 1)
    }

    @Test("who is cancelled leaves the line, and takes no place")
    func cancellation() async {
        #expect(await queue.takeSparePlace())
        let (first, second) = (await turn(), await turn())
        first.cancel()
        #expect(await !first.value)
        queue.returnSparePlace()
        #expect(await second.value)
        queue.returnSparePlace()
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await queue.takeSparePlace()
        }
        #expect(await !late.value)
        #expect(queue.counts == WorkQueue.Counts())
    }

    @Test("it holds half of the bytes at most, which others don't miss, until the last reference goes")
    func bytes() {
        var first = queue.takeSpareBytes(30)
        #expect(first != nil)
        #expect(queue.takeSpareBytes(21) == nil)
        let second = queue.takeSpareBytes(20)
        #expect(second != nil && queue.counts.spareByteCount == 50)
        let items = [Item(), Item()]
        for item in items { item.byteCount = 50 }
        #expect(queue.add(items[0], priority: .normal) && queue.add(items[1], priority: .normal))
        withExtendedLifetime(first) {}
        first = nil
        #expect(queue.counts.spareByteCount == 20)
        withExtendedLifetime(second) {}
    }

    @Test("whoever waits until nothing runs waits for it too")
    func idleness() async {
        #expect(await queue.takeSparePlace())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [queue] in await queue.waitUntilIdle() }
            group.addTask { [queue] in queue.returnSparePlace() }
        }
        #expect(queue.counts == WorkQueue.Counts())
    }
}

import Synchronization

/// What may be done as long as nobody needs the place.
///
/// Spare work delays nothing. It begins only while there is a place free that nobody who waits may have, and holds none:
/// what comes into the queue later begins as if it weren't there. Among its like the first in line is the first to begin.
extension WorkQueue {
    /// Somebody who waits for a place that nobody needs.
    struct SpareTurn {
        let number: UInt64
        /// Is told whether there is one.
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// Waits for a place that nobody needs. All who have one have no more than background work may.
    ///
    /// - Returns: `true` with a place, which is to be returned; `false` if the task is cancelled.
    func takeSparePlace() async -> Bool {
        let number = state.withLock { $0.nextSpareNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn = SpareTurn(number: number, continuation: continuation)
                let answer = state.withLock { state -> Bool? in
                    // The handler may have been called already; then nobody would call again.
                    if Task.isCancelled { return false }
                    state.spareLine.append(turn)
                    return state.takeSpareTurn() == nil ? nil : true
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let turn = state.withLock { state in
                state.spareLine.firstIndex { $0.number == number }.map { state.spareLine.remove(at: $0) }
            }
            turn?.continuation.resume(returning: false)
        }
    }

    /// Gives a place back.
    func returnSparePlace() {
        let awaiting = change { state in
            state.counts.spare -= 1
            return state.takeAwaitingIdleness()
        }
        for continuation in awaiting { continuation.resume() }
    }

    /// Takes bytes that spare work holds for longer than it runs. All of it together has half of the queue's budget,
    /// beside what that gives to others.
    ///
    /// - Returns: `nil` if there aren't so many.
    func takeSpareBytes(_ byteCount: Int) -> SpareBytes? {
        let byteCount = max(0, byteCount)
        let isTaken = state.withLock { state in
            guard byteCount <= state.limits.byteCount / 2 - state.counts.spareByteCount else { return false }
            state.counts.spareByteCount += byteCount
            return true
        }
        return isTaken ? SpareBytes(byteCount, self) : nil
    }

    /// Bytes that have been taken. They are given back when the last reference to this goes.
    final class SpareBytes: Sendable {
        private let byteCount: Int
        private let queue: WorkQueue

        fileprivate init(_ byteCount: Int, _ queue: WorkQueue) {
            self.byteCount = byteCount
            self.queue = queue
        }

        deinit { queue.state.withLock { $0.counts.spareByteCount -= byteCount } }
    }
}

extension WorkQueue.State {
    fileprivate mutating func nextSpareNumber() -> UInt64 {
        spareCount += 1
        return spareCount
    }

    /// Takes the first in line if there is a place for it.
    mutating func takeSpareTurn() -> WorkQueue.SpareTurn? {
        guard !spareLine.isEmpty, counts.running + counts.spare < limits.count, counts.spare < limits.backgroundCount
        else { return nil }
        counts.spare += 1
        return spareLine.removeFirst()
    }
}

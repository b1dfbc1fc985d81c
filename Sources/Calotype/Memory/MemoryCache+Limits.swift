import Foundation

/// How much a cache may hold, and how it gives memory back.
extension MemoryCache {
    /// A sixth of the machine's memory, 512 MiB at most.
    public static var defaultCostLimit: Int {
        Int(min(ProcessInfo.processInfo.physicalMemory / 6, 512 << 20))
    }

    /// The most bytes of pixels. Setting it lower evicts at once.
    public var costLimit: Int {
        get { withPolicy { $0.policy.capacity } }
        set {
            change { $0.policy.setCapacity(max(0, newValue), countLimit: $0.countLimit) }
        }
    }

    /// The most images. Setting it lower evicts at once.
    public var countLimit: Int {
        get { withPolicy { $0.countLimit } }
        set {
            change { guarded in
                guarded.countLimit = max(0, newValue)
                guarded.policy.makeRoom(for: 0, countLimit: guarded.countLimit)
            }
        }
    }

    /// The bytes of pixels that are held.
    public var totalCost: Int { withPolicy { $0.policy.byteCount } }

    /// The images that are held.
    public var count: Int { withPolicy { $0.policy.liveCount } }

    /// Evicts until no more than `cost` bytes are held; the limit stays.
    public func trim(toCost cost: Int) {
        change { $0.policy.makeRoom(for: max(0, $0.policy.capacity - max(0, cost)), countLimit: $0.countLimit) }
    }

    /// Gives memory back: half of what is held at a warning, all of it when it is critical. The limits stay, and images
    /// that are on screen stay findable as long as they are there.
    ///
    /// Called for every cache that reacts to memory pressure when the system says so, on a thread of its own. An app may
    /// call it for reasons of its own.
    public func respondToMemoryPressure(_ level: MemoryPressure.Level) {
        change { guarded in
            let kept = level == .warning ? guarded.policy.byteCount / 2 : 0
            guarded.policy.makeRoom(for: guarded.policy.capacity - kept, countLimit: guarded.countLimit)
        }
    }

    /// Gives memory back as the app goes to the background: to half of what is held, and a quarter of the limit at most.
    func respondToBackground() {
        change { guarded in
            let kept = min(guarded.policy.byteCount / 2, guarded.policy.capacity / 4)
            guarded.policy.makeRoom(for: guarded.policy.capacity - kept, countLimit: guarded.countLimit)
        }
    }
}

/// How much the device can spare for work that takes its toll: heat and battery.
///
/// | status | images decoded at once | prefetching |
/// | --- | --- | --- |
/// | nominal, fair | ``ImagePipeline/Configuration/decodeLimit`` | begins |
/// | Low Power Mode | half of it | begins |
/// | serious | half of it | nothing begins |
/// | critical | one | nothing begins |
///
/// What has begun goes on to its end, and what is asked for by somebody who waits is always done.
public struct PowerStatus: Sendable, Hashable {
    /// How hot the device is, as it says itself.
    public enum Heat: Sendable, Hashable, Comparable, CaseIterable {
        /// As it should be.
        case nominal
        /// A little raised: nothing that the user would notice.
        case fair
        /// High: the system works more slowly to cool down.
        case serious
        /// Too high.
        case critical
    }

    /// How hot the device is.
    public var heat: Heat
    /// Whether the user has asked to save the battery: Low Power Mode.
    public var isLowPowerModeEnabled: Bool

    /// Makes a status; of a device that can spare everything unless told otherwise.
    public init(heat: Heat = .nominal, isLowPowerModeEnabled: Bool = false) {
        self.heat = heat
        self.isLowPowerModeEnabled = isLowPowerModeEnabled
    }

    /// How many of so many decodes may run at once.
    func decodeLimit(of limit: Int) -> Int {
        switch heat {
        case .critical: 1
        case .serious: max(1, limit / 2)
        case .nominal, .fair: isLowPowerModeEnabled ? max(1, limit / 2) : limit
        }
    }

    /// Whether to begin what nobody waits for yet.
    var permitsPrefetch: Bool { heat < .serious }
}

/// Watches how much the device can spare.
///
/// - Isolation: Any thread. Nothing here waits.
public protocol PowerMonitor: Sendable {
    /// What the device can spare now. The first call may be what starts the watching.
    var status: PowerStatus { get }

    /// Calls `handler` after each change, one call at a time and in their order, on any thread, until the observation is
    /// let go.
    func observe(_ handler: @escaping @Sendable (_ previous: PowerStatus, _ current: PowerStatus) -> Void)
        -> StatusObservation
}

extension ImagePipeline.Configuration {
    /// What the decodes may take.
    func decodeLimits(at status: PowerStatus) -> WorkQueue.Limits {
        let count = status.decodeLimit(of: decodeLimit)
        return .init(count: count, backgroundCount: count / 2, byteCount: decodeByteBudget)
    }
}

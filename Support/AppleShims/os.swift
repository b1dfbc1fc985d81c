public struct OSSignpostID: Sendable, Hashable {
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    public init(_ value: UInt64) { fatalError() }
}

public final class OSSignpostIntervalState {
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { fatalError() }
}

public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { fatalError() }
    public static var `private`: OSLogPrivacy { fatalError() }
}

public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) { fatalError() }
    public mutating func appendLiteral(_ literal: String) { fatalError() }
    public mutating func appendInterpolation(
        _ value: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .private
    ) {
        fatalError()
    }
}

public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
    public init(stringInterpolation: OSLogInterpolation) { fatalError() }
    public init(stringLiteral value: String) { fatalError() }
}

public typealias SignpostMetadata = OSLogMessage

public struct OSSignposter: Sendable {
    public init(subsystem: String, category: String) { fatalError() }
    public var isEnabled: Bool { fatalError() }
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        fatalError()
    }
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
    ) -> OSSignpostIntervalState {
        fatalError()
    }
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) { fatalError() }
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {
        fatalError()
    }
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata) {
        fatalError()
    }
}

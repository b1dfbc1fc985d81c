public import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable {
        case satisfied
        case unsatisfied
        case requiresConnection
    }

    public let status: Status
    public let isExpensive: Bool
    public var isConstrained: Bool { fatalError() }
}

public final class NWPathMonitor: Sendable {
    public init() { fatalError() }
    public func start(queue: DispatchQueue) { fatalError() }
    public func cancel() { fatalError() }
    public var currentPath: NWPath { fatalError() }
    @preconcurrency public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { fatalError() }
        set { fatalError() }
    }
}

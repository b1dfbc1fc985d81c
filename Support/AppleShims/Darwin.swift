// The platform's C library. Its presence is what `#if canImport(Darwin)` asks for.
@_exported public import Dispatch
public import Foundation
@_exported public import Glibc

public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol, Sendable {
    var data: DispatchSource.MemoryPressureEvent { get }
    var mask: DispatchSource.MemoryPressureEvent { get }
}

extension DispatchSource {
    public struct MemoryPressureEvent: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let normal = MemoryPressureEvent(rawValue: 1)
        public static let warning = MemoryPressureEvent(rawValue: 2)
        public static let critical = MemoryPressureEvent(rawValue: 4)
        public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
    }

    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure { fatalError() }
}

extension ProcessInfo {
    public enum ThermalState: Int, Sendable {
        case nominal
        case fair
        case serious
        case critical
    }

    public var thermalState: ThermalState { fatalError() }
    public class var thermalStateDidChangeNotification: NSNotification.Name { fatalError() }
    public var isLowPowerModeEnabled: Bool { fatalError() }
    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) { fatalError() }
}

extension NSNotification.Name {
    public static var NSProcessInfoPowerStateDidChange: NSNotification.Name { fatalError() }
}

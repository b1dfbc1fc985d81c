public import Foundation

public protocol Digest: Hashable, Sendable, Sequence where Element == UInt8 {}

public protocol HashFunction: Sendable {
    associatedtype Digest: CryptoKit.Digest
    static func hash<D: DataProtocol>(data: D) -> Digest
}

public struct SHA256Digest: Digest {
    public func makeIterator() -> [UInt8].Iterator { fatalError() }
}

public struct SHA256: HashFunction {
    public static func hash<D: DataProtocol>(data: D) -> SHA256Digest { fatalError() }
}

public enum Insecure {
    public struct SHA1Digest: Digest {
        public func makeIterator() -> [UInt8].Iterator { fatalError() }
    }

    public struct SHA1: HashFunction {
        public static func hash<D: DataProtocol>(data: D) -> SHA1Digest { fatalError() }
    }

    public struct MD5Digest: Digest {
        public func makeIterator() -> [UInt8].Iterator { fatalError() }
    }

    public struct MD5: HashFunction {
        public static func hash<D: DataProtocol>(data: D) -> MD5Digest { fatalError() }
    }
}

public struct SymmetricKey: Sendable {
    public init<D: ContiguousBytes>(data: D) { fatalError() }
}

public struct HashedAuthenticationCode<H: HashFunction>: Hashable, Sendable, Sequence {
    public func makeIterator() -> [UInt8].Iterator { fatalError() }
}

public struct HMAC<H: HashFunction> {
    public static func authenticationCode<D: DataProtocol>(
        for data: D, using key: SymmetricKey
    ) -> HashedAuthenticationCode<H> { fatalError() }
}

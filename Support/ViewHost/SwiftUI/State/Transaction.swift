public struct Transaction {
    public var animation: Animation?
    public var disablesAnimations = false
    public var isContinuous = false

    public init() {}
    public init(animation: Animation?) { self.animation = animation }

    package var isEmpty: Bool { animation == nil && !disablesAnimations && !isContinuous }

    /// Two changes that one update brings: the later one's animation wins, if it has any.
    func merging(_ later: Transaction) -> Transaction {
        var merged = self
        merged.animation = later.animation ?? animation
        merged.disablesAnimations = disablesAnimations || later.disablesAnimations
        merged.isContinuous = isContinuous || later.isContinuous
        return merged
    }

    /// The transaction of the `withTransaction` around, on this thread.
    package static var current: Transaction {
        Thread.current.threadDictionary[threadKey] as? Transaction ?? Transaction()
    }

    fileprivate static let threadKey = "Calotype.ViewHost.transaction"
}

public func withTransaction<Result>(_ transaction: Transaction, _ body: () throws -> Result) rethrows -> Result {
    let dictionary = Thread.current.threadDictionary
    let former = dictionary[Transaction.threadKey]
    dictionary[Transaction.threadKey] = transaction
    defer { dictionary[Transaction.threadKey] = former }
    return try body()
}

public func withTransaction<R, V>(
    _ keyPath: WritableKeyPath<Transaction, V>, _ value: V, _ body: () throws -> R
) rethrows -> R {
    var transaction = Transaction.current
    transaction[keyPath: keyPath] = value
    return try withTransaction(transaction, body)
}

public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result {
    var transaction = Transaction.current
    transaction.animation = animation
    return try withTransaction(transaction, body)
}

/// An animation. The host doesn't run it: a frame tells which one a change would have had.
public struct Animation: Hashable, Sendable {
    let curve: String
    let duration: TimeInterval
    var delay: TimeInterval = 0

    public static let `default` = Animation(curve: "default", duration: 0.35)
    public static let linear = Animation(curve: "linear", duration: 0.35)
    public static let easeIn = Animation(curve: "easeIn", duration: 0.35)
    public static let easeOut = Animation(curve: "easeOut", duration: 0.35)
    public static let easeInOut = Animation(curve: "easeInOut", duration: 0.35)
    public static let smooth = Animation(curve: "smooth", duration: 0.5)
    public static let snappy = Animation(curve: "snappy", duration: 0.5)
    public static let bouncy = Animation(curve: "bouncy", duration: 0.5)

    public static func linear(duration: TimeInterval) -> Animation { Animation(curve: "linear", duration: duration) }
    public static func easeIn(duration: TimeInterval) -> Animation { Animation(curve: "easeIn", duration: duration) }
    public static func easeOut(duration: TimeInterval) -> Animation { Animation(curve: "easeOut", duration: duration) }
    public static func easeInOut(duration: TimeInterval) -> Animation {
        Animation(curve: "easeInOut", duration: duration)
    }
    public static func spring(duration: TimeInterval = 0.5, bounce: Double = 0) -> Animation {
        Animation(curve: "spring(\(bounce))", duration: duration)
    }

    public func delay(_ delay: TimeInterval) -> Animation {
        var animation = self
        animation.delay += delay
        return animation
    }
}

import SwiftUI
import Testing
import ViewHost

/// What happened, in order.
@MainActor
final class Journal {
    private(set) var entries: [String] = []

    func note(_ entry: String) { entries.append(entry) }

    func take() -> [String] {
        defer { entries = [] }
        return entries
    }
}

/// A promise that tasks can wait for, without a clock.
@MainActor
final class Signal {
    private var isGiven = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func give() {
        isGiven = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    func wait() async {
        if isGiven { return }
        await withCheckedContinuation { waiters.append($0) }
    }
}

extension Image {
    /// An image whose payload is a name.
    static func fixture(_ name: String = "image", width: CGFloat, height: CGFloat) -> Image {
        Image(hosted: name, size: CGSize(width: width, height: height))
    }
}

extension Frame {
    /// The place of the first element that isn't a container.
    var firstRect: CGRect? { elements.first?.rect }
}

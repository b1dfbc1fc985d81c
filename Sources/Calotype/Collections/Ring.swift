/// A queue in an array whose places are used again.
///
/// - Complexity: Adding and removing take constant time, amortised.
struct Ring<Element> {
    private var places: [Element?] = []
    private var first = 0
    private(set) var count = 0

    /// The elements, the oldest first.
    var elements: [Element] {
        (0..<count).compactMap { places[(first + $0) & (places.count - 1)] }
    }

    mutating func append(_ element: Element) {
        if count == places.count { grow() }
        places[(first + count) & (places.count - 1)] = element
        count += 1
    }

    /// Takes out the oldest.
    mutating func removeFirst() -> Element? {
        guard count > 0 else { return nil }
        defer {
            first = (first + 1) & (places.count - 1)
            count -= 1
        }
        return places[first].take()
    }

    /// Takes out the oldest, and adds one.
    mutating func replaceFirst(with element: Element) -> Element? {
        guard count == places.count else {
            let oldest = removeFirst()
            append(element)
            return oldest
        }
        // No place is free: the new one takes that of the oldest.
        let index = first
        first = (first + 1) & (places.count - 1)
        return places.withUnsafeMutableBufferPointer { places in
            let oldest = places[index].take()
            places[index] = element
            return oldest
        }
    }

    /// Doubles the places, of which there are always a power of two.
    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(max(64, 2 * places.count))
        for index in 0..<count { larger.append(places[(first + index) & (places.count - 1)].take()) }
        while larger.count < max(64, 2 * places.count) { larger.append(nil) }
        places = larger
        first = 0
    }
}

extension Ring: Sendable where Element: Sendable {}

/// Objects that are not kept by being in a list. Those that have gone are looked for when there may be as many of them as of
/// others.
struct WeakList<Element: Sendable>: Sendable {
    /// `@unchecked Sendable`: the reference is set where a place is made, and never again; reading a weak one is safe on any
    /// thread. The object is an element, and those are Sendable.
    private struct Place: @unchecked Sendable {
        weak var object: AnyObject?
    }

    private var places: [Place] = []
    private var sweepCount = 16

    /// Those that are there.
    var elements: [Element] { places.compactMap { $0.object as? Element } }

    /// Elements that have been added, and perhaps some that have gone: for tests.
    var placeCount: Int { places.count }

    /// - Parameter element: An object.
    mutating func append(_ element: Element) {
        if places.count >= sweepCount {
            places.removeAll { $0.object == nil }
            sweepCount = max(16, 2 * places.count)
        }
        places.append(Place(object: element as AnyObject))
    }
}

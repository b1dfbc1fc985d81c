/// A list that as a rule holds one element, and takes no array for it.
struct ShortList<Element> {
    private var head: Element?
    private var tail: [Element] = []

    init() {}

    mutating func append(_ element: Element) {
        if head == nil { head = element } else { tail.append(element) }
    }

    mutating func removeLast() -> Element {
        if let last = tail.popLast() { return last }
        guard let last = head.take() else { preconditionFailure("A list without elements has no last one.") }
        return last
    }

    mutating func removeAll(where condition: (Element) -> Bool) {
        for element in takeAll() where !condition(element) { append(element) }
    }

    /// Takes all elements out.
    mutating func takeAll() -> ShortList {
        defer { self = ShortList() }
        return self
    }
}

extension ShortList: Sendable where Element: Sendable {}

extension ShortList: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { head == nil ? 0 : tail.count + 1 }

    subscript(index: Int) -> Element {
        get {
            if index > 0 { return tail[index - 1] }
            guard index == 0, let head else { preconditionFailure("A list has no element \(index).") }
            return head
        }
        set {
            precondition(index >= 0 && index < endIndex, "A list has no element \(index).")
            if index > 0 { tail[index - 1] = newValue } else { head = newValue }
        }
    }
}

/// Gives spans of time lanes, so that spans in one lane don't overlap: as few as possible for each group.
struct LanePacker<ID: Hashable> {
    /// The lane of each span, and the names of the lanes.
    struct Lanes {
        var lane: [ID: Int] = [:]
        var names: [String] = []
    }

    /// What may not overlap in a lane.
    private struct Group {
        let name: String
        var spans: [(id: ID, span: Range<Moment>)] = []
    }

    private struct Key: Hashable {
        let name: String
        let part: Int?
    }

    private var groups: [Group] = []
    private var indexes: [Key: Int] = [:]
    private var known: Set<ID> = []

    /// Adds a span to a group.
    ///
    /// - Parameter part: Tells groups of one name apart.
    /// - Returns: Whether it is new. A span that several share is added once.
    mutating func add(
        _ id: ID, from start: Moment, for duration: Duration, in name: String, _ part: Int? = nil
    ) -> Bool {
        guard known.insert(id).inserted else { return false }
        let key = Key(name: name, part: part)
        let index = indexes[key] ?? groups.count
        if index == groups.count {
            groups.append(Group(name: name))
            indexes[key] = index
        }
        groups[index].spans.append((id, start..<start + max(.zero, duration)))
        return true
    }

    /// The lanes, those of one name beside one another. They are numbered where a name has more than one.
    ///
    /// - Complexity: For each group, that of sorting its spans, and the spans times the lanes.
    func packed() -> Lanes {
        var lanes = Lanes()
        var order: [String: Int] = [:]
        for group in groups where order[group.name] == nil { order[group.name] = order.count }
        for group in groups.sorted(by: { (order[$0.name] ?? 0) < (order[$1.name] ?? 0) }) {
            let first = lanes.names.count
            var ends: [Moment] = []
            for (id, span) in group.spans.sorted(by: { $0.span.lowerBound < $1.span.lowerBound }) {
                let free = ends.firstIndex { $0 <= span.lowerBound } ?? ends.count
                if free == ends.count { ends.append(span.upperBound) } else { ends[free] = span.upperBound }
                lanes.lane[id] = first + free
            }
            lanes.names += ends.map { _ in group.name }
        }
        let totals = lanes.names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        var numbers: [String: Int] = [:]
        lanes.names = lanes.names.map { name in
            guard totals[name, default: 0] > 1 else { return name }
            numbers[name, default: 0] += 1
            return "\(name) · \(numbers[name, default: 0])"
        }
        return lanes
    }
}

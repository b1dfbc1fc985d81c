/// What a case came to.
struct BenchRow: Sendable, Encodable {
    /// What a measured value may be.
    enum Bound: Sendable, Encodable {
        case atMost(Double)
        case atLeast(Double)

        func holds(_ value: Double) -> Bool {
            switch self {
            case .atMost(let most): value <= most
            case .atLeast(let least): value >= least
            }
        }
    }

    enum State: String, Sendable, Encodable {
        case ok, over, under
        /// There is no bound.
        case reported
        case notMeasured = "not measured"
    }

    /// A figure beside the one that is bounded.
    struct Detail: Sendable, Encodable {
        let name: String
        let value: Double
        var unit: String?

        /// The median of what was measured several times, and how far that lies apart.
        static func spread(_ name: String, _ values: [Double], unit: String) -> [Detail] {
            [Detail(name: name, value: .median(values), unit: unit)] + ends(of: values)
        }

        /// The least and the most of what was measured several times.
        static func ends(of values: [Double]) -> [Detail] {
            [Detail(name: "least", value: values.min() ?? 0), Detail(name: "most", value: values.max() ?? 0)]
        }
    }

    let name: String
    /// What is measured.
    let title: String
    let unit: String
    /// `nil` if nothing could be measured; ``note`` says why.
    var measured: Double?
    var bound: Bound?
    var details: [Detail] = []
    var note: String?

    var state: State {
        guard let measured else { return .notMeasured }
        guard let bound else { return .reported }
        if bound.holds(measured) { return .ok }
        switch bound {
        case .atMost: return .over
        case .atLeast: return .under
        }
    }

    /// Whether the bound holds, if there is one. A bound on what couldn't be measured doesn't.
    var isOK: Bool { bound == nil || state == .ok }

    private enum Key: String, CodingKey {
        case name, title, unit, measured, bound, details, note, state
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(name, forKey: .name)
        try values.encode(title, forKey: .title)
        try values.encode(unit, forKey: .unit)
        try values.encodeIfPresent(measured?.finite, forKey: .measured)
        try values.encodeIfPresent(bound, forKey: .bound)
        if !details.isEmpty { try values.encode(details, forKey: .details) }
        try values.encodeIfPresent(note, forKey: .note)
        try values.encode(state, forKey: .state)
    }
}

extension BenchRow.Bound {
    private enum Key: String, CodingKey { case atMost, atLeast }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .atMost(let most): try values.encode(most, forKey: .atMost)
        case .atLeast(let least): try values.encode(least, forKey: .atLeast)
        }
    }
}

extension BenchRow.Detail {
    private enum Key: String, CodingKey { case name, value, unit }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(name, forKey: .name)
        try values.encodeIfPresent(value.finite, forKey: .value)
        try values.encodeIfPresent(unit, forKey: .unit)
    }
}

extension Double {
    /// `nil` for what JSON can't hold: the noise ratio of equal images is infinite.
    fileprivate var finite: Double? { isFinite ? self : nil }

    /// The middle of these; the upper of two. 0 for none.
    static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }
}

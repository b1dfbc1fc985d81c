public enum TimelineScheduleMode: Hashable, Sendable {
    case normal
    case lowFrequency
}

public protocol TimelineSchedule {
    typealias Mode = TimelineScheduleMode
    associatedtype Entries: Sequence where Entries.Element == Date
    func entries(from startDate: Date, mode: Self.Mode) -> Self.Entries
}

/// A date at each turn of the host's clock, no sooner than the interval after the last. Without an interval, 60 a second.
public struct AnimationTimelineSchedule: TimelineSchedule, Sendable {
    let minimumInterval: Double?
    let paused: Bool

    public init(minimumInterval: Double? = nil, paused: Bool = false) {
        self.minimumInterval = minimumInterval
        self.paused = paused
    }

    public func entries(from startDate: Date, mode: TimelineScheduleMode) -> AnySequence<Date> {
        if paused { return AnySequence([]) }
        let interval = max(minimumInterval ?? 0, 1.0 / 60)
        return AnySequence(sequence(first: startDate) { $0.addingTimeInterval(interval) })
    }
}

public struct PeriodicTimelineSchedule: TimelineSchedule, Sendable {
    let startDate: Date
    let interval: TimeInterval

    public init(from startDate: Date, by interval: TimeInterval) {
        self.startDate = startDate
        self.interval = interval
    }

    public func entries(from start: Date, mode: TimelineScheduleMode) -> AnySequence<Date> {
        let steps = max((start.timeIntervalSince(startDate) / interval).rounded(.down), 0)
        let first = startDate.addingTimeInterval(steps * interval)
        return AnySequence(sequence(first: first) { $0.addingTimeInterval(interval) })
    }
}

public struct ExplicitTimelineSchedule<Dates>: TimelineSchedule where Dates: Sequence, Dates.Element == Date {
    let dates: Dates
    public init(_ dates: Dates) { self.dates = dates }
    public func entries(from startDate: Date, mode: TimelineScheduleMode) -> Dates { dates }
}

extension TimelineSchedule where Self == AnimationTimelineSchedule {
    public static var animation: AnimationTimelineSchedule { AnimationTimelineSchedule() }
    public static func animation(minimumInterval: Double? = nil, paused: Bool = false) -> AnimationTimelineSchedule {
        AnimationTimelineSchedule(minimumInterval: minimumInterval, paused: paused)
    }
}

extension TimelineSchedule where Self == PeriodicTimelineSchedule {
    public static func periodic(from startDate: Date, by interval: TimeInterval) -> PeriodicTimelineSchedule {
        PeriodicTimelineSchedule(from: startDate, by: interval)
    }
}

public typealias TimelineViewDefaultContext = TimelineView<EveryMinuteTimelineSchedule, Never>.Context

public struct EveryMinuteTimelineSchedule: TimelineSchedule, Sendable {
    public init() {}
    public func entries(from startDate: Date, mode: TimelineScheduleMode) -> AnySequence<Date> {
        PeriodicTimelineSchedule(from: Date(timeIntervalSinceReferenceDate: 0), by: 60)
            .entries(from: startDate, mode: mode)
    }
}

public struct TimelineView<Schedule, Content> where Schedule: TimelineSchedule {
    public struct Context {
        public enum Cadence: Comparable, Sendable {
            case live
            case seconds
            case minutes
        }

        public let date: Date
        public let cadence: Cadence
    }

    let schedule: Schedule
    let content: (TimelineViewDefaultContext) -> Content
}

extension TimelineView: View where Content: View {
    public typealias Body = Never

    public nonisolated init(
        _ schedule: Schedule, @ViewBuilder content: @escaping (TimelineViewDefaultContext) -> Content
    ) {
        self.schedule = schedule
        self.content = content
    }
}

@MainActor
extension TimelineView: PrimitiveView, Timeline where Content: View {
    package func children(of node: ViewNode) -> [ChildView] {
        let shown = node.storage as? Date
        let date = latest(from: shown ?? node.graph.now, until: node.graph.now) ?? shown ?? node.graph.now
        node.storage = date
        node.graph.addTimeline(node, self)
        let context = TimelineViewDefaultContext(date: date, cadence: .live)
        return [ChildView(key: .index(0), view: content(context))]
    }

    func isDue(at date: Date, in node: ViewNode) -> Bool {
        guard let shown = node.storage as? Date, let latest = latest(from: shown, until: date) else { return false }
        return latest > shown
    }

    /// The last entry that isn't in the future.
    private func latest(from start: Date, until end: Date) -> Date? {
        var latest: Date?
        for entry in schedule.entries(from: start, mode: .normal) {
            guard entry <= end else { break }
            latest = entry
        }
        return latest
    }
}

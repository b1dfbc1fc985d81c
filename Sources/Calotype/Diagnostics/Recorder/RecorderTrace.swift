import Foundation

/// Makes a trace of what has been recorded.
///
/// - Source: the "Trace Event Format" document of the Chromium project: complete events (`X`), instants (`i`), counters (`C`)
///   and metadata (`M`); times in microseconds.
enum RecorderTrace {
    private struct Trace: Encodable {
        let traceEvents: [Event]
        let displayTimeUnit = "ms"
        let otherData: [String: String]
    }

    private struct Event: Encodable {
        var name: String
        var ph: String
        var pid: Int
        var tid = 0
        var ts: Int64 = 0
        var dur: Int64?
        var cat: String?
        /// Of an instant: its scope, which is the process here.
        var s: String?
        var args: [String: Value]?
    }

    private enum Value: Encodable {
        case text(String)
        case number(Int64)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            }
        }
    }

    /// What stands for a process in the trace.
    private enum Process: Int, CaseIterable {
        case loads = 1
        case connections, decoders, caches

        var name: String {
            switch self {
            case .loads: "Loads"
            case .connections: "Connections"
            case .decoders: "Decoders"
            case .caches: "Caches"
            }
        }
    }

    private static let onConnection = Set([LoadReport.Stage.connect, .firstByte, .body].map { Int64($0.index) })
    private static let onDecoder = Set([LoadReport.Stage.decode, .process].map { Int64($0.index) })

    static func make(of recording: Recording) -> Data {
        var events = Process.allCases.flatMap { process in
            [
                Event(name: "process_name", ph: "M", pid: process.rawValue, args: ["name": .text(process.name)]),
                Event(
                    name: "process_sort_index", ph: "M", pid: process.rawValue,
                    args: ["sort_index": .number(Int64(process.rawValue))]),
            ]
        }
        events += threads(recording.connections, of: .connections) + threads(recording.decoders, of: .decoders)
        events += loads(recording) + counters(recording)
        events += recording.remarks.map {
            let args = $0.load.map { ["load": Value.number(Int64($0))] }
            return Event(name: $0.text, ph: "i", pid: Process.caches.rawValue, ts: $0.time, s: "p", args: args)
        }
        let other = ["began": recording.began, "dropped": String(recording.dropped)]
        return Trace(traceEvents: events, otherData: other).scriptSafeJSON()
    }

    private static func threads(_ names: [String], of process: Process) -> [Event] {
        names.indices.map {
            Event(name: "thread_name", ph: "M", pid: process.rawValue, tid: $0 + 1, args: ["name": .text(names[$0])])
        }
    }

    /// The loads, each in the first lane that is free, and their stages within them, in the lanes of connections, and in those
    /// of decoders.
    private static func loads(_ recording: Recording) -> [Event] {
        var events: [Event] = []
        var packer = LanePacker<Int>()
        let origin = Moment.now
        for (index, load) in recording.loads.enumerated() {
            _ = packer.add(
                index, from: origin + .microseconds(load.start), for: .microseconds(load.duration), in: "load")
        }
        let lanes = packer.packed()
        events += threads(lanes.names, of: .loads)
        for (index, load) in recording.loads.enumerated() {
            let name = "#\(load.number) \(load.source)"
            // Each of a dozen stages names its load: a long URL once is enough.
            let label = name.utf8.count <= 256 ? name : String(name.unicodeScalars.prefix(256)) + "…"
            events.append(
                Event(
                    name: name, ph: "X", pid: Process.loads.rawValue, tid: (lanes.lane[index] ?? 0) + 1, ts: load.start,
                    dur: load.duration, cat: load.outcome, args: arguments(load)))
            for stage in load.stages {
                var event = Event(
                    name: recording.stageNames[Int(stage[0])], ph: "X", pid: Process.loads.rawValue,
                    tid: (lanes.lane[index] ?? 0) + 1, cat: "stage")
                // What others had begun before isn't a part of this load.
                let (start, end) = (max(0, stage[1]), min(load.duration, stage[1] + stage[2]))
                if end >= start {
                    (event.ts, event.dur) = (load.start + start, end - start)
                    events.append(event)
                }
                (event.ts, event.dur) = (load.start + stage[1], stage[2])
                event.args = ["load": .text(label)]
                if let lane = load.connection, onConnection.contains(stage[0]), load.sharesDownload != true {
                    (event.pid, event.tid) = (Process.connections.rawValue, lane + 1)
                    events.append(event)
                }
                if let lane = load.decoder, onDecoder.contains(stage[0]), load.sharesDecode != true {
                    (event.pid, event.tid) = (Process.decoders.rawValue, lane + 1)
                    events.append(event)
                }
            }
        }
        return events
    }

    private static func arguments(_ load: Recording.Load) -> [String: Value] {
        var arguments: [String: Value] = ["outcome": .text(load.outcome), "reason": .text(load.reason)]
        guard let report = load.report else { return arguments }
        arguments["pixels"] = .text(report.pixels.map(String.init).joined(separator: " x "))
        arguments["originalPixels"] = .text(report.originalPixels.map(String.init).joined(separator: " x "))
        arguments["fileBytes"] = .number(report.fileBytes)
        arguments["receivedBytes"] = .number(report.receivedBytes)
        arguments["waiters"] = .number(Int64(report.waiters))
        arguments["priority"] = .text(report.priority)
        arguments["priorityChanges"] = .number(Int64(report.priorityChanges))
        arguments["retries"] = .number(Int64(report.retries))
        arguments["redirects"] = .number(Int64(report.redirects))
        if let format = report.format { arguments["format"] = .text(format) }
        if let name = report.protocol { arguments["protocol"] = .text(name) }
        return arguments
    }

    /// How many loads each layer has served so far, at each load's end.
    private static func counters(_ recording: Recording) -> [Event] {
        var counts: [String: Int64] = [:]
        for name in recording.layerNames { counts[name] = 0 }
        return recording.loads.filter { $0.report != nil }.sorted { $0.start + $0.duration < $1.start + $1.duration }
            .map { load in
                counts[load.outcome, default: 0] += 1
                return Event(
                    name: "served by", ph: "C", pid: Process.caches.rawValue, ts: load.start + load.duration,
                    args: counts.mapValues { .number($0) })
            }
    }
}

/// Something that `calo bench` measures, alone or with the others of its section.
struct BenchCase: Sendable {
    /// What can be asked for as a whole.
    enum Section: String, CaseIterable, Sendable {
        case instructions, process, memory, coalescing, transport, pipeline, hits, decode, store
    }

    let name: String
    let section: Section
    /// What is known before it is measured.
    let row: BenchRow
    /// Fills in the row.
    let measure: @Sendable (inout BenchRow, BenchContext) async throws -> Void

    init(
        _ section: Section, _ row: BenchRow,
        measure: @escaping @Sendable (inout BenchRow, BenchContext) async throws -> Void
    ) {
        name = row.name
        self.section = section
        self.row = row
        self.measure = measure
    }

    /// In the order in which they run, one after another.
    static let all: [BenchCase] =
        PipelineCase.allCases.map(\.benchCase) + FrameCase.allCases.map(\.benchCase)
        + ProcessCase.allCases.map(\.benchCase) + MemoryPeerCase.allCases.map(\.benchCase)
        + SharingCase.allCases.map(\.benchCase) + TransportCase.allCases.map(\.benchCase)
        + ImageCase.allCases.map(\.benchCase) + HitRatioCase.all.map(\.benchCase)
        + DecodeCase.allCases.map(\.benchCase) + StoreCase.allCases.map(\.benchCase)

    /// The row as measured, or with the reason why it couldn't be.
    ///
    /// - Throws: `CancellationError` alone.
    func measured(_ context: BenchContext) async throws -> BenchRow {
        var row = row
        do {
            try await measure(&row, context)
        } catch {
            try Task.checkCancellation()
            row.measured = nil
            row.note = "\(error)"
        }
        return row
    }
}

/// Why something couldn't be measured, in a sentence.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension PipelineCase {
    /// Its instructions are counted.
    var benchCase: BenchCase {
        let bound = limit.map { BenchRow.Bound.atMost(Double($0)) }
        return BenchCase(
            .instructions, BenchRow(name: rawValue, title: title, unit: "instructions", bound: bound)
        ) { row, context in
            row.measured = try await context.instructions(of: rawValue, counts)
        }
    }
}

extension ProcessCase {
    /// The median of five processes.
    var benchCase: BenchCase {
        let limit: BenchRow.Bound? = bound.map { $0.isMost ? .atMost($0.value) : .atLeast($0.value) }
        return BenchCase(
            .process, BenchRow(name: rawValue, title: title, unit: unit, bound: limit)
        ) { row, context in
            var values: [Double] = []
            for _ in 0..<5 { values.append(try await context.measure([rawValue])[0]) }
            row.measured = .median(values)
            row.details = BenchRow.Detail.ends(of: values)
        }
    }
}

/// A row that needn't exist yet.
@MainActor
struct LazyEntry {
    let key: ChildKey
    let make: @MainActor () -> any View
}

/// A view that names its rows without making them.
@MainActor
protocol LazySource: View {
    var entries: [LazyEntry] { get }
}

extension LazyEntry {
    /// The rows of a lazy container's content. What isn't known to consist of rows is one itself.
    static func entries(of view: any View, path: [Int] = []) -> [LazyEntry] {
        if let source = view as? any LazySource { return source.entries }
        if let transparent = view as? any LazyTransparent {
            return transparent.parts.flatMap { entries(of: $0.view, path: path + [$0.index]) }
        }
        return [LazyEntry(key: .explicit(AnyHashable(RowPath(indices: path)))) { view }]
    }
}

/// The place of a row without an identity.
struct RowPath: Hashable {
    let indices: [Int]
}

/// A view whose parts are rows of the lazy container around it.
@MainActor
protocol LazyTransparent {
    var parts: [(index: Int, view: any View)] { get }
}

@MainActor
extension EmptyView: LazyTransparent {
    var parts: [(index: Int, view: any View)] { [] }
}

@MainActor
extension TupleView: LazyTransparent {
    var parts: [(index: Int, view: any View)] { views.enumerated().map { ($0.offset, $0.element) } }
}

@MainActor
extension Group: LazyTransparent where Content: View {
    var parts: [(index: Int, view: any View)] { [(0, content)] }
}

@MainActor
extension Optional: LazyTransparent where Wrapped: View {
    var parts: [(index: Int, view: any View)] { map { [(0, $0)] } ?? [] }
}

@MainActor
extension _ConditionalContent: LazyTransparent where TrueContent: View, FalseContent: View {
    var parts: [(index: Int, view: any View)] {
        switch storage {
        case .trueContent(let view): [(0, view)]
        case .falseContent(let view): [(1, view)]
        }
    }
}

public struct ForEach<Data, ID, Content> where Data: RandomAccessCollection, ID: Hashable {
    public var data: Data
    public var content: (Data.Element) -> Content
    let identify: (Data.Element) -> ID
}

extension ForEach: View where Content: View {
    public typealias Body = Never

    public nonisolated init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        self.data = data
        self.content = content
        identify = { $0[keyPath: id] }
    }
}

extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    public nonisolated init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.data = data
        self.content = content
        identify = { $0.id }
    }
}

extension ForEach where Data == Range<Int>, ID == Int, Content: View {
    public nonisolated init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content) {
        self.data = data
        self.content = content
        identify = { $0 }
    }
}

@MainActor
extension ForEach: PrimitiveView where Content: View {
    package func children(of node: ViewNode) -> [ChildView] {
        data.map { ChildView(key: .explicit(AnyHashable(identify($0))), view: content($0)) }
    }
}

@MainActor
extension ForEach: LazySource where Content: View {
    var entries: [LazyEntry] {
        data.map { element in
            LazyEntry(key: .explicit(AnyHashable(identify(element)))) { content(element) }
        }
    }
}

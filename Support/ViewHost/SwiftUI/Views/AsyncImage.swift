public enum AsyncImagePhase: Sendable {
    case empty
    case success(Image)
    case failure(any Error)

    public var image: Image? { if case .success(let image) = self { image } else { nil } }
    public var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

/// How `AsyncImage` gets its images: what stands for the shared `URLSession` in the host.
package struct AsyncImageLoader: Sendable {
    package let load: @Sendable (URLRequest, CGFloat) async throws -> Image

    package init(load: @escaping @Sendable (URLRequest, CGFloat) async throws -> Image) { self.load = load }
}

private struct AsyncImageLoaderKey: EnvironmentKey {
    static var defaultValue: AsyncImageLoader? { nil }
}

extension EnvironmentValues {
    package var asyncImageLoader: AsyncImageLoader? {
        get { self[AsyncImageLoaderKey.self] }
        set { self[AsyncImageLoaderKey.self] = newValue }
    }
}

/// Loads an image each time it appears, and keeps it for as long as it is shown: nothing outlives the view.
public nonisolated struct AsyncImage<Content>: View where Content: View {
    private let request: URLRequest?
    private let scale: CGFloat
    private let transaction: Transaction
    private let content: (AsyncImagePhase) -> Content

    @State private var loaded = Loaded()
    @Environment(\.asyncImageLoader) private var loader

    private struct Loaded {
        var request: URLRequest?
        var phase = AsyncImagePhase.empty
    }

    @MainActor public var body: some View {
        content(loaded.request == request ? loaded.phase : .empty)
            .task(id: request) {
                guard let request else { return }
                guard let loader else { fatalError("Give the host an asyncImageLoader: AsyncImage is shown") }
                let phase: AsyncImagePhase
                do {
                    phase = .success(try await loader.load(request, scale))
                } catch {
                    phase = .failure(error)
                }
                if !Task.isCancelled {
                    withTransaction(transaction) { loaded = Loaded(request: request, phase: phase) }
                }
            }
    }

    public nonisolated init(
        url: URL?, scale: CGFloat = 1, transaction: Transaction = Transaction(),
        @ViewBuilder content: @escaping (AsyncImagePhase) -> Content
    ) {
        self.init(request: url.map { URLRequest(url: $0) }, scale: scale, transaction: transaction, content: content)
    }

    public nonisolated init(
        request: URLRequest?, scale: CGFloat = 1, transaction: Transaction = Transaction(),
        @ViewBuilder content: @escaping (AsyncImagePhase) -> Content
    ) {
        self.request = request
        self.scale = scale
        self.transaction = transaction
        self.content = content
    }

    public nonisolated init<I, P>(
        url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> I,
        @ViewBuilder placeholder: @escaping () -> P
    ) where Content == _ConditionalContent<I, P>, I: View, P: View {
        self.init(url: url, scale: scale) { phase in
            if let image = phase.image { content(image) } else { placeholder() }
        }
    }
}

extension AsyncImage where Content == Image {
    /// Before the image there is a gray area, which takes the space it is offered.
    public nonisolated init(url: URL?, scale: CGFloat = 1) {
        self.init(url: url, scale: scale) { phase in phase.image ?? Image("AsyncImage.placeholder").resizable() }
    }

    public nonisolated init(request: URLRequest, scale: CGFloat = 1) {
        self.init(request: request, scale: scale) { phase in
            phase.image ?? Image("AsyncImage.placeholder").resizable()
        }
    }
}

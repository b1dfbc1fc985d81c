import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// AsyncImage's calls, with the name alone changed. Each has a twin of AsyncImage's own, where the host has it: what
/// compiles there has to compile here. The types of the results are AsyncImage's, too.
///
/// None is isolated: views may be made on any thread.
private enum Renamed {
    typealias Choice = _ConditionalContent<ModifiedContent<Image, Marked>, ProgressView<EmptyView, EmptyView>>

    /// A modifier whose type can be named.
    struct Marked: ViewModifier {
        nonisolated init() {}
        func body(content: Content) -> some View { content }
    }

    static nonisolated func url(_ url: URL?) -> CachedAsyncImage<Image> { CachedAsyncImage(url: url) }
    static nonisolated func systemURL(_ url: URL?) -> AsyncImage<Image> { AsyncImage(url: url) }

    static nonisolated func urlScale(_ url: URL?) -> CachedAsyncImage<Image> { CachedAsyncImage(url: url, scale: 2) }
    static nonisolated func systemURLScale(_ url: URL?) -> AsyncImage<Image> { AsyncImage(url: url, scale: 2) }

    static nonisolated func choice(_ url: URL?) -> CachedAsyncImage<Choice> {
        CachedAsyncImage(url: url) { image in
            image.resizable().modifier(Marked())
        } placeholder: {
            ProgressView()
        }
    }
    static nonisolated func systemChoice(_ url: URL?) -> AsyncImage<Choice> {
        AsyncImage(url: url) { image in
            image.resizable().modifier(Marked())
        } placeholder: {
            ProgressView()
        }
    }

    static nonisolated func choiceScale(_ url: URL?) -> CachedAsyncImage<_ConditionalContent<Image, Color>> {
        CachedAsyncImage(url: url, scale: 3, content: { $0.resizable() }, placeholder: { Color.gray })
    }
    static nonisolated func systemChoiceScale(_ url: URL?) -> AsyncImage<_ConditionalContent<Image, Color>> {
        AsyncImage(url: url, scale: 3, content: { $0.resizable() }, placeholder: { Color.gray })
    }

    static nonisolated func phase(_ url: URL?) -> some View {
        CachedAsyncImage(url: url) { phase in
            switch phase {
            case .empty: ProgressView()
            case .success(let image): image.resizable().scaledToFit()
            case .failure(let error): Text("\(error)")
            @unknown default: EmptyView()
            }
        }
    }
    static nonisolated func systemPhase(_ url: URL?) -> some View {
        AsyncImage(url: url) { phase in
            switch phase {
            case .empty: ProgressView()
            case .success(let image): image.resizable().scaledToFit()
            case .failure(let error): Text("\(error)")
            @unknown default: EmptyView()
            }
        }
    }

    static nonisolated func phaseIf(_ url: URL?) -> some View {
        CachedAsyncImage(url: url, transaction: Transaction(animation: .easeIn)) { phase in
            if let image = phase.image {
                image.resizable()
            } else if phase.error != nil {
                Color.red
            } else {
                Color.gray
            }
        }
    }
    static nonisolated func systemPhaseIf(_ url: URL?) -> some View {
        AsyncImage(url: url, transaction: Transaction(animation: .easeIn)) { phase in
            if let image = phase.image {
                image.resizable()
            } else if phase.error != nil {
                Color.red
            } else {
                Color.gray
            }
        }
    }

    static nonisolated func phaseOptional(_ url: URL?) -> CachedAsyncImage<Image?> {
        CachedAsyncImage(url: url, scale: 2, transaction: Transaction()) { $0.image?.resizable() }
    }
    static nonisolated func systemPhaseOptional(_ url: URL?) -> AsyncImage<Image?> {
        AsyncImage(url: url, scale: 2, transaction: Transaction()) { $0.image?.resizable() }
    }

    /// A function in place of a closure.
    @ViewBuilder static nonisolated func view(of phase: AsyncImagePhase) -> some View {
        if let image = phase.image { image } else { Color.gray }
    }
    static nonisolated func phaseFunction(_ url: URL?) -> some View { CachedAsyncImage(url: url, content: view(of:)) }
    static nonisolated func systemPhaseFunction(_ url: URL?) -> some View { AsyncImage(url: url, content: view(of:)) }

    // OS 27's forms. Its second returns a type of AsyncImage's own, which has no other use.
    static nonisolated func request(_ request: URLRequest) -> CachedAsyncImage<Image> {
        CachedAsyncImage(request: request, scale: 2)
    }
    static nonisolated func requestChoice(_ request: URLRequest?) -> CachedAsyncImage<_ConditionalContent<Image, Color>>
    {
        CachedAsyncImage(request: request) {
            $0.resizable()
        } placeholder: {
            Color.gray
        }
    }
    static nonisolated func requestPhase(_ request: URLRequest?) -> CachedAsyncImage<Image?> {
        CachedAsyncImage(request: request, scale: 2, transaction: Transaction()) { phase in phase.image }
    }
    static nonisolated func systemRequest(_ request: URLRequest) -> AsyncImage<Image> {
        AsyncImage(request: request, scale: 2)
    }
    static nonisolated func systemRequestPhase(_ request: URLRequest?) -> AsyncImage<Image?> {
        AsyncImage(request: request, scale: 2, transaction: Transaction()) { phase in phase.image }
    }
}

/// What AsyncImage hasn't.
private enum Added {
    typealias Three = _ConditionalContent<_ConditionalContent<Image, Color>, Button<Text>>

    static nonisolated func failure(_ url: URL?) -> CachedAsyncImage<Three> {
        CachedAsyncImage(url: url) {
            $0.resizable()
        } placeholder: {
            Color.gray
        } failure: { error, retry in
            Button("Retry", action: retry)
        }
    }

    static nonisolated func request(_ request: ImageRequest?) -> CachedAsyncImage<Image> {
        CachedAsyncImage(request, scale: 2)
    }

    static nonisolated func requestPhase(_ request: ImageRequest?) -> some View {
        CachedAsyncImage(request) { phase in
            switch phase {
            case .empty: Color.gray
            case .loading(let progress, let preview):
                ZStack {
                    preview?.resizable()
                    ProgressView(value: progress?.fraction)
                }
            case .success(let image, let source): image.resizable().accessibilityLabel("\(source)")
            case .failure(let error): Text(error.description)
            }
        }
    }

    static nonisolated func requestImage(_ request: ImageRequest) -> some View {
        CachedAsyncImage(request, transaction: Transaction(animation: .default)) { phase in
            phase.image?.resizable().scaledToFit()
        }
    }
}

@Suite("Initialisers")
@MainActor
struct InitializerTests {
    private let url = URL(string: "https://example.com/a.png")!

    private func size(_ view: some View) -> CGSize? {
        let pipeline = ImagePipeline.scripted([url: .image(.fixture)])
        let host = ViewHost(size: CGSize(width: 100, height: 100)) { view.imagePipeline(pipeline) }
        return host.frame.imageRect?.size
    }

    @Test("each initialiser shows its image in the first frame, at its scale")
    func images() {
        #expect(size(Renamed.url(url)) == CGSize(width: 240, height: 180))
        #expect(size(Renamed.urlScale(url)) == CGSize(width: 120, height: 90))
        #expect(size(Renamed.choice(url)) == CGSize(width: 100, height: 100))
        #expect(size(Renamed.choiceScale(url)) == CGSize(width: 100, height: 100))
        #expect(size(Renamed.phase(url)) == CGSize(width: 100, height: 75))
        #expect(size(Renamed.phaseIf(url)) == CGSize(width: 100, height: 100))
        #expect(size(Renamed.phaseOptional(url)) == CGSize(width: 100, height: 100))
        #expect(size(Renamed.phaseFunction(url)) == CGSize(width: 240, height: 180))
        #expect(size(Renamed.request(URLRequest(url: url))) == CGSize(width: 120, height: 90))
        #expect(size(Renamed.requestChoice(URLRequest(url: url))) == CGSize(width: 100, height: 100))
        #expect(size(Renamed.requestPhase(URLRequest(url: url))) == CGSize(width: 120, height: 90))
        #expect(size(Added.failure(url)) == CGSize(width: 100, height: 100))
        #expect(size(Added.request(ImageRequest(url: url))) == CGSize(width: 120, height: 90))
        #expect(size(Added.requestPhase(ImageRequest(url: url))) == CGSize(width: 100, height: 100))
        #expect(size(Added.requestImage(ImageRequest(url: url))) == CGSize(width: 100, height: 75))
    }

    @Test("nothing to load shows the placeholder, or nothing")
    func nothing() {
        func frame(_ view: some View) -> Frame { ViewHost { view.imagePipeline(.scripted([:])) }.frame }
        #expect(frame(Renamed.url(nil)).elements.count == 1 && frame(Renamed.url(nil)).images.isEmpty)
        #expect(frame(Renamed.choice(nil)).showsProgress)
        #expect(frame(Renamed.phase(nil)).showsProgress)
        #expect(frame(Renamed.phaseOptional(nil)).elements.isEmpty)
        #expect(frame(Renamed.requestPhase(nil)).elements.isEmpty)
        #expect(frame(Added.failure(nil)).elements.map { $0.color != nil } == [true])
        #expect(frame(Added.request(nil)).images.isEmpty)
    }

    @Test("AsyncImage's own calls show the same")
    func twins() async throws {
        var environment = EnvironmentValues()
        environment.asyncImageLoader = AsyncImageLoader { _, scale in
            Image(
                hosted: DecodedImage.fixture, size: CGSize(width: 240 / scale, height: 180 / scale))
        }
        func size(_ view: some View) async throws -> CGSize? {
            let host = ViewHost(size: CGSize(width: 100, height: 100), environment: environment) { view }
            return try await host.next { $0.images.first?.decoded != nil }.imageRect?.size
        }
        #expect(try await size(Renamed.systemURL(url)) == self.size(Renamed.url(url)))
        #expect(try await size(Renamed.systemURLScale(url)) == self.size(Renamed.urlScale(url)))
        #expect(try await size(Renamed.systemChoice(url)) == self.size(Renamed.choice(url)))
        #expect(try await size(Renamed.systemChoiceScale(url)) == self.size(Renamed.choiceScale(url)))
        #expect(try await size(Renamed.systemPhase(url)) == self.size(Renamed.phase(url)))
        #expect(try await size(Renamed.systemPhaseIf(url)) == self.size(Renamed.phaseIf(url)))
        #expect(try await size(Renamed.systemPhaseOptional(url)) == self.size(Renamed.phaseOptional(url)))
        #expect(try await size(Renamed.systemPhaseFunction(url)) == self.size(Renamed.phaseFunction(url)))
        #expect(try await size(Renamed.systemRequest(URLRequest(url: url))) == self.size(Renamed.urlScale(url)))
        #expect(
            try await size(Renamed.systemRequestPhase(URLRequest(url: url)))
                == self.size(Renamed.requestPhase(URLRequest(url: url))))
    }

    @Test("views are made off the main actor")
    func offTheMainActor() async {
        let url = url
        let isPlain = await Task.detached { () -> Bool in
            _ = Renamed.choice(url)
            _ = Added.failure(url)
            _ = Renamed.phase(url)
            _ = AnimatedImage(DecodedImage.fixture)
            return !Thread.isMainThread
        }.value
        #expect(isPlain)
    }

    @Test("a failure's view gets the error, and its retry loads once more")
    func retry() async throws {
        let served = try LoopbackServer()
        served.respond(
            to: "/a.png", with: .status(404), .ok(ServedImages.file(width: 4, height: 4), type: "image/png"))
        var configuration = ImagePipeline.Configuration(store: nil)
        configuration.retry = .none
        let pipeline = ImagePipeline(configuration)
        let host = ViewHost { Added.failure(served.url("/a.png")).imagePipeline(pipeline) }
        try await host.next { $0.button("Retry") != nil }
        try host.tap("Retry")
        let frame = try await host.next { $0.images.count == 1 }
        #expect(frame.button("Retry") == nil)
        #expect(served.requestCount == 2)
    }
}

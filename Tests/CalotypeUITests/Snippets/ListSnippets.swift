import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

// The snippets of ListsThatDoNotFlicker, of CalotypeTesting about previews, and of comments about views.
extension SnippetTests {
    @Test("a list doesn't flicker")
    func list() {
        let articles = [article]
        let frame = frame {
            List(articles) { article in
                CachedAsyncImage(url: article.thumbnailURL) { image in
                    image.resizable().scaledToFill()
                } placeholder: {
                    Color.gray.opacity(0.2)
                } failure: { _, retry in
                    Button("Retry", action: retry)
                }
                .frame(width: 88, height: 88)
                .clipped()
            }
            .prefetchImages(articles.compactMap(\.thumbnailURL), size: .points(88, 88), to: .disk)
        }
        #expect(frame.images.count == 1)
    }

    @Test("a ratio, a size and a transition may be set for all rows")
    func layout() {
        let articles = [article]
        let frame = frame {
            CachedAsyncImage(ImageRequest(url: url)) { phase in
                phase.image?.resizable().scaledToFit()
            }
            .aspectRatio(1.5, contentMode: .fit)
            Feed(articles).remoteImageSize(.points(88, 88))
            Feed(articles).remoteImageTransition(.fade())
        }
        #expect(frame.images.count == 3)
    }

    @Test("what earlier launches remember is waited for")
    func prepared() async {
        await ImagePipeline.shared.prepare()
        #expect(ImagePipeline.shared.impression(for: ImageRequest(url: url)) == nil)
    }

    @Test("a preview shows its pictures without a network")
    func preview() async throws {
        struct ArticleRow: View {
            let article: Story
            var body: some View { CachedAsyncImage(url: article.thumbnailURL) }
        }
        let host = ViewHost {
            ArticleRow(article: article)
                .imagePipeline(.preview())
        }
        try await host.next { $0.images.count == 1 }
    }

    @Test("a view of one's own shows its model's phase")
    func model() {
        struct OwnView: View {
            let request: ImageRequest
            let pipeline: ImagePipeline
            let model: RemoteImageModel

            @ViewBuilder func content(_ phase: RemoteImagePhase) -> some View {
                if let image = phase.image { Image(image) }
            }

            var body: some View {
                content(model.phase(for: request, in: pipeline))
                    .task(id: RemoteImageModel.Subject(request, pipeline)) { await model.show(request, in: pipeline) }
            }
        }
        let pipeline = ImagePipeline.scripted([url: .image(.fixture)])
        let host = ViewHost { OwnView(request: ImageRequest(url: url), pipeline: pipeline, model: RemoteImageModel()) }
        #expect(host.frame.images.count == 1)
    }
}

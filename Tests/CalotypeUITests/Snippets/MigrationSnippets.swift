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

// What the articles about migration say to write for views.
extension SnippetTests {
    @Test("what LazyImage was shows the image")
    func fromLazyImage() {
        let frame = frame {
            CachedAsyncImage(ImageRequest(url: url)) { phase in
                if let image = phase.image {
                    image.resizable().scaledToFill()
                } else if phase.error != nil {
                    Color.red
                } else {
                    ProgressView(value: phase.progress?.fraction)
                }
            }
            .frame(width: 88, height: 88)
        }
        #expect(frame.images.count == 1)
    }

    @Test("what KFImage was shows the image")
    func fromKFImage() {
        let frame = frame {
            CachedAsyncImage(url: url) { image in
                image.resizable().scaledToFill()
            } placeholder: {
                ProgressView()
            } failure: { error, retry in
                Button("Retry", action: retry)
            }
            .frame(width: 88, height: 88)
            .remoteImageTransition(.fade(.easeOut(duration: 0.25)))
        }
        #expect(frame.images.count == 1)
    }

    @Test("what WebImage was shows the image")
    func fromWebImage() {
        let frame = frame {
            CachedAsyncImage(url: url) { image in
                image.resizable().scaledToFit()
            } placeholder: {
                ProgressView()
            }
            .frame(width: 300, height: 200)
            CachedAsyncImage(ImageRequest(url: url)) { phase in
                CalotypeUI.AnimatedImage(phase.image) { $0.resizable().scaledToFit() }
            }
        }
        #expect(frame.images.count == 2)
    }

    @Test("other initialisers show the image as well")
    func initialisers() {
        let request = ImageRequest(url: url)
        let urlRequest = URLRequest(url: url)
        let data = ServedImages.file(width: 8, height: 8)
        let pipeline = ImagePipeline.scripted([url: .image(.fixture)])
        let host = ViewHost {
            VStack {
                CachedAsyncImage(url: url)
                CachedAsyncImage(url: url, scale: 2)
                CachedAsyncImage(request)
                CachedAsyncImage(request: urlRequest)
                CachedAsyncImage(url: url) { phase in
                    if case .success(let image) = phase { image }
                }
                CachedAsyncImage(url: url, transaction: Transaction(animation: .easeIn)) { phase in phase.image }
                CachedAsyncImage(ImageRequest(data: data)) { phase in
                    if case .loading = phase { AnimatedImage(phase.image) }
                }
            }
            .imagePipeline(pipeline)
            .remoteImageTransition(.custom(.slide, animation: .default))
        }
        #expect(host.frame.images.count == 6)
    }
}

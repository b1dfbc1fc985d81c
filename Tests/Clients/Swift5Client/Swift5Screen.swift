import Calotype
import CalotypeUI
import Foundation
import SwiftUI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An app of the Swift 5 language mode, which says nothing of isolation.
package struct Swift5Screen: View {
    let url: URL
    let missing: URL
    @State private var model = Swift5Model()
    @Environment(\.imagePipeline) private var pipeline

    package init(url: URL, missing: URL) {
        self.url = url
        self.missing = missing
    }

    package var body: some View {
        VStack {
            CachedAsyncImage(url: url) { image in
                image.resizable().scaledToFill()
            } placeholder: {
                ProgressView()
            }
            .frame(width: 40, height: 40)
            .remoteImageTransition(.fade())
            CachedAsyncImage(url: missing) { image in
                image
            } placeholder: {
                Text("placeholder")
            } failure: { error, retry in
                Button("Retry") {
                    model.retryCount += 1
                    retry()
                }
            }
            CachedAsyncImage(ImageRequest(url: url, processors: [Swift5Tint()])) { phase in
                AnimatedImage(phase.image) { $0.resizable() }
            }
            Text(model.text)
            Button("Load") {
                Task {
                    do {
                        let image = try await pipeline.image(for: url)
                        model.text = "\(image.pixelSize)"
                    } catch {
                        model.text = "\(error)"
                    }
                }
            }
        }
        .prefetchImages([url], to: .disk)
        .remoteImagePartition("client")
    }
}

@Observable
final class Swift5Model {
    var text = "nothing loaded"
    var retryCount = 0
}

struct Swift5Tint: ImageProcessor {
    let identifier = "tint"
    let dependsOnPixelSize = false

    func process(_ image: DecodedImage, cancellation: DecodeCancellation) throws -> DecodedImage { image }
}

/// Counts, from whatever thread it is called.
package final class Swift5Counter: @unchecked Sendable {
    // `lock` guards it.
    private var number = 0
    private let lock = NSLock()

    package init() {}

    package var count: Int { lock.withLock { number } }

    func add() { lock.withLock { number += 1 } }
}

extension ImagePipeline {
    /// A pipeline whose closures are called off the main actor.
    package static func swift5Client(counter: Swift5Counter) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(store: nil) { request in
            counter.add()
            var request = request
            request.setValue("yes", forHTTPHeaderField: "X-Signed")
            return request
        }
        configuration.retry = .none
        configuration.onEvent = { _ in counter.add() }
        return ImagePipeline(configuration)
    }
}

public import Calotype
public import Foundation

extension ImagePipeline {
    /// A pipeline whose answers are given up front, for tests, snapshots and previews. It keeps nothing on disk, and nothing
    /// it does reaches the network.
    ///
    /// ```swift
    /// let pipeline = ImagePipeline.scripted([url: .image(.fixture), missing: .failure(.status(404))])
    /// ```
    ///
    /// Images are in memory from the start. A failure comes at once: nothing is attempted again.
    ///
    /// - Parameter onUnmatched: Is told of a request that no answer matches, which then fails with ``UnscriptedRequest`` as
    ///   the underlying error. Writes to standard error unless given; a test may record an issue. Called on any thread.
    public static func scripted(
        _ answers: [URL: ScriptedAnswer],
        onUnmatched: @escaping @Sendable (UnscriptedRequest) -> Void = ImagePipeline.reportUnscripted
    ) -> ImagePipeline {
        scripted(ScriptedTransport(answers: answers, fallback: nil, onUnmatched: onUnmatched))
    }

    /// A pipeline that shows one image for every URL, for Xcode's previews.
    ///
    /// - Parameters:
    ///   - image: What is shown.
    ///   - urls: Those for which it is in memory from the start.
    public static func preview(_ image: DecodedImage = .fixture, for urls: [URL] = []) -> ImagePipeline {
        let answers = Dictionary(urls.map { ($0, ScriptedAnswer.image(image)) }) { first, _ in first }
        return scripted(
            ScriptedTransport(answers: answers, fallback: .image(image), onUnmatched: reportUnscripted))
    }

    /// Writes to standard error what a scripted pipeline has no answer for.
    public static func reportUnscripted(_ request: UnscriptedRequest) {
        FileHandle.standardError.write(Data("\(request)\n".utf8))
    }

    private static func scripted(_ transport: ScriptedTransport) -> ImagePipeline {
        var configuration = Configuration(transport: transport, store: nil)
        configuration.retry = .none
        let pipeline = ImagePipeline(configuration)
        for case (let url, .image(let image)) in transport.answers {
            pipeline.insert(image, for: ImageRequest(url: url))
        }
        return pipeline
    }
}

extension DecodedImage {
    /// An image for tests and previews: 240 x 180 pixels, red at the top left, green at the top right, blue at the bottom
    /// left and white at the bottom right.
    public static let fixture = DecodedImage(bitmap: TestImages.quadrantBitmap(width: 240, height: 180))
}

import Calotype
import CalotypeTesting
import Observation

/// A view that shows an image by a model, as SwiftUI's rules have it: a task for as long as it is there, begun anew when its
/// subject changes.
@MainActor
final class ModelView {
    let model = RemoteImageModel()
    let pipeline: ImagePipeline
    private(set) var request: ImageRequest
    private(set) var task: Task<Void, Never>?

    init(_ request: ImageRequest, in pipeline: ImagePipeline) {
        self.request = request
        self.pipeline = pipeline
    }

    var phase: RemoteImagePhase { model.phase(for: request, in: pipeline) }

    /// The color of what is shown, in a corner.
    var color: PixelColor? { phase.image?.bitmap.pixel(0, 0) }

    var isInView: Bool { task != nil }

    func appear() {
        guard task == nil else { return }
        task = Task { [model, request, pipeline] in await model.show(request, in: pipeline) }
    }

    func disappear() {
        task?.cancel()
        task = nil
    }

    func change(to request: ImageRequest) {
        let hasChanged =
            RemoteImageModel.Subject(request, pipeline) != RemoteImageModel.Subject(self.request, pipeline)
        self.request = request
        guard hasChanged, isInView else { return }
        disappear()
        appear()
    }

    /// Disappears, and returns once nothing of it runs any more.
    func end() async {
        let task = task
        disappear()
        await task?.value
    }

    /// Returns once the phase is as wanted.
    func wait(until isWanted: @escaping @MainActor (RemoteImagePhase) -> Bool) async {
        while !isWanted(phase) {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = phase
                } onChange: {
                    continuation.resume()
                }
            }
            // The change is about to be made when it is announced.
            await Task.yield()
        }
    }

    /// Returns once the model has the image, and says its color.
    ///
    /// - Parameter layer: Where it is to come from; `nil` for anywhere, memory included, which may have it before the
    ///   model has heard of it.
    func waitForImage(from layer: LoadReport.Layer? = nil) async -> PixelColor? {
        await wait {
            guard case .success(_, let source) = $0 else { return false }
            return layer == nil || source == layer
        }
        return color
    }

    /// Returns once there is a failure, and says why.
    func waitForFailure() async -> ImageError.Reason? {
        await wait { $0.error != nil }
        return phase.error?.reason
    }
}

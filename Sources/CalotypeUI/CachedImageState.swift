import Calotype
import Foundation
import Observation
import SwiftUI

/// What a ``CachedAsyncImage`` remembers between two evaluations of its body: the model, and the size that is loaded.
@MainActor @Observable
final class CachedImageState {
    @ObservationIgnored let record = ProposalRecord()
    @ObservationIgnored private let model = RemoteImageModel()

    /// The room that an image of automatic size outgrew, in whole steps; `nil` as long as the first one does.
    private var grownRoom: ImageRoom?
    /// The room that the image was first loaded for.
    @ObservationIgnored private var firstRoom: ImageRoom?
    /// What the body was last evaluated for.
    @ObservationIgnored private var latest: Wish?
    /// Keeps what is under way when a larger size takes its place: SwiftUI ends one task before it begins the next.
    @ObservationIgnored private var bridge: ImageLoad?
    @ObservationIgnored private var hasRun = false
    /// Loads where the view was laid out and its task hasn't begun: appearance isn't always told.
    @ObservationIgnored private var standIn: Task<Void, Never>?
    @ObservationIgnored private var isObserving = false

    /// What is to be shown, and where it comes from.
    struct Wish {
        let request: ImageRequest?
        let pipeline: ImagePipeline
        let displayScale: CGFloat
        let taskID: TaskID
        let update: RemoteImageModel.Update
    }

    /// A change of it begins the view's task anew.
    struct TaskID: Hashable {
        var subject: RemoteImageModel.Subject?
        var grownRoom: ImageRoom?
    }

    nonisolated init() {}

    isolated deinit { standIn?.cancel() }

    // MARK: For the body

    func wish(
        for request: ImageRequest?, in pipeline: ImagePipeline, displayScale: CGFloat,
        updating update: @escaping RemoteImageModel.Update
    ) -> Wish {
        observePlacements()
        let subject = request.map { request in
            RemoteImageModel.Subject(Self.fixed(request, displayScale) ?? request, pipeline)
        }
        let isAutomatic = request?.size == .automatic
        let wish = Wish(
            request: request, pipeline: pipeline, displayScale: displayScale,
            taskID: TaskID(subject: subject, grownRoom: isAutomatic ? grownRoom : nil), update: update)
        latest = wish
        return wish
    }

    /// A pure query, apart from what Observation notes.
    func phase(of wish: Wish) -> RemoteImagePhase {
        guard let request = sized(wish) else { return .empty }
        return model.phase(for: request, in: wish.pipeline)
    }

    func retry() { model.retry() }

    // MARK: For the task

    /// Loads what is wished for as long as the calling task runs.
    func run(_ wish: Wish) async {
        let standIn = standIn
        self.standIn = nil
        // The model lets its new load join before it ends the other's.
        defer { standIn?.cancel() }
        await load(wish)
    }

    private func load(_ wish: Wish) async {
        hasRun = true
        let bridge = bridge
        self.bridge = nil
        defer { bridge?.cancel() }
        if wish.request?.size == .automatic, grownRoom == nil { firstRoom = record.room ?? Self.largestRoom }
        guard let request = sized(wish) else { return model.clear() }
        model.update = wish.update
        await model.show(request, in: wish.pipeline)
    }

    /// The view has gone: its pixels are the caches' business now.
    func rest() {
        standIn?.cancel()
        standIn = nil
        model.rest()
    }

    // MARK: Size

    /// The room for which an image is loaded that hasn't been laid out by the time it appears.
    private static let largestRoom = ImageRoom(width: 1_024, height: 1_024)

    private func sized(_ wish: Wish) -> ImageRequest? {
        guard var request = wish.request else { return nil }
        if let fixed = Self.fixed(request, wish.displayScale) { return fixed }
        guard let room = grownRoom ?? firstRoom ?? record.room else { return request }
        request.size = room.size(displayScale: wish.displayScale)
        return request
    }

    /// The request in pixels, if its size doesn't come from the layout.
    private static func fixed(_ request: ImageRequest, _ displayScale: CGFloat) -> ImageRequest? {
        guard request.size != .automatic else { return nil }
        var request = request
        request.size = request.size.resolved(displayScale: Double(displayScale))
        return request
    }

    private func observePlacements() {
        guard !isObserving else { return }
        isObserving = true
        record.observe { [weak self] room in
            // Layout isn't the place to change what views depend on.
            Task { @MainActor in
                self?.noteRoom(room)
                // The task of a view that appears in this turn is begun before the next one.
                await Task.yield()
                self?.loadUnlessRunning()
            }
        }
    }

    private func loadUnlessRunning() {
        guard !hasRun, standIn == nil, let latest else { return }
        standIn = Task { [weak self] in await self?.load(latest) }
    }

    private func noteRoom(_ room: ImageRoom) {
        guard let latest, latest.request?.size == .automatic, let loaded = grownRoom ?? firstRoom, room.exceeds(loaded)
        else { return }
        let grown = SizeBuckets.bucket(room.union(loaded))
        var request = latest.request
        request?.size = grown.size(displayScale: latest.displayScale)
        bridge = request.map { latest.pipeline.load($0) }
        grownRoom = grown
    }
}

import Calotype
import Foundation
import Observation
import SwiftUI

/// What a ``CachedAsyncImage`` remembers between two evaluations of its body: the model, and the size that is loaded.
@MainActor @Observable
final class CachedImageState {
    @ObservationIgnored let record = ProposalRecord()
    @ObservationIgnored private let model = RemoteImageModel()

    /// The room that an image of automatic size has grown to, in whole steps; `nil` as long as the first one does.
    private var grown: LoadedRoom?
    /// The room that the image was first loaded for.
    @ObservationIgnored private var first: LoadedRoom?
    /// What the body was last evaluated for.
    @ObservationIgnored private var latest: Wish?
    /// Keeps what is under way when a larger size takes its place: SwiftUI ends one task before it begins the next.
    @ObservationIgnored private var bridge: ImageLoad?
    @ObservationIgnored private var hasRun = false
    /// Loads where the view was laid out and its task hasn't begun: appearance isn't always told.
    @ObservationIgnored private var standIn: Task<Void, Never>?
    @ObservationIgnored private var isObserving = false

    /// The room that an image of automatic size is loaded for. The next image begins anew.
    private struct LoadedRoom {
        var subject: RemoteImageModel.Subject
        var room: ImageRoom
    }

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
        var displayScale: CGFloat
    }

    nonisolated init() {}

    isolated deinit {
        standIn?.cancel()
        bridge?.cancel()
    }

    // MARK: For the body

    func wish(
        for request: ImageRequest?, in pipeline: ImagePipeline, displayScale: CGFloat,
        updating update: @escaping RemoteImageModel.Update
    ) -> Wish {
        observePlacements()
        let subject = request.map { request in
            RemoteImageModel.Subject(Self.fixed(request, displayScale) ?? request, pipeline)
        }
        let grownRoom = grown.flatMap { $0.subject == subject ? $0.room : nil }
        let wish = Wish(
            request: request, pipeline: pipeline, displayScale: displayScale,
            taskID: TaskID(subject: subject, grownRoom: grownRoom, displayScale: displayScale), update: update)
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
        if let bridge {
            self.bridge = nil
            // It is over once the model has joined what it kept, which is before the model first waits.
            Task { bridge.cancel() }
        }
        if wish.request?.size == .automatic, let subject = wish.taskID.subject, wish.taskID.grownRoom == nil {
            first = LoadedRoom(subject: subject, room: firstRoom(of: wish))
        }
        guard let request = sized(wish) else { return model.clear() }
        model.update = wish.update
        await model.show(request, in: wish.pipeline)
    }

    /// The view has gone: its pixels are the caches' business now.
    func rest() {
        standIn?.cancel()
        standIn = nil
        bridge?.cancel()
        bridge = nil
        model.rest()
    }

    // MARK: Size

    /// The room for which an image is loaded that hasn't been laid out by the time it appears: 1,024 pixels each way.
    private static func unknownRoom(displayScale: CGFloat) -> ImageRoom {
        ImageRoom(width: 1_024 / displayScale, height: 1_024 / displayScale)
    }

    /// The room that an image is to be loaded for at first.
    private func firstRoom(of wish: Wish) -> ImageRoom {
        guard let placement = record.placement else { return Self.unknownRoom(displayScale: wish.displayScale) }
        // What stands in for the image may tell already how large it will be.
        return growth(of: placement, from: placement.room, wish) ?? placement.room
    }

    private func growth(of placement: ImagePlacement, from loaded: ImageRoom, _ wish: Wish) -> ImageRoom? {
        placement.growth(
            from: loaded, original: phase(of: wish).image?.originalPixelSize, displayScale: wish.displayScale)
    }

    /// The room that an image is being loaded for.
    private func loadedRoom(of wish: Wish) -> ImageRoom? {
        wish.taskID.grownRoom ?? first.flatMap { $0.subject == wish.taskID.subject ? $0.room : nil }
    }

    private func sized(_ wish: Wish) -> ImageRequest? {
        guard var request = wish.request else { return nil }
        if let fixed = Self.fixed(request, wish.displayScale) { return fixed }
        guard let room = loadedRoom(of: wish) ?? record.placement?.room else { return request }
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
        record.observe { [weak self] in
            // Layout isn't the place to change what views depend on.
            Task { @MainActor in
                self?.notePlacement()
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

    private func notePlacement() {
        guard let latest, latest.request?.size == .automatic, let subject = latest.taskID.subject,
            let placement = record.placement, let loaded = loadedRoom(of: latest),
            let room = growth(of: placement, from: loaded, latest)
        else { return }
        var request = latest.request
        request?.size = room.size(displayScale: latest.displayScale)
        let former = bridge
        bridge = request.map { latest.pipeline.load($0) }
        former?.cancel()
        grown = LoadedRoom(subject: subject, room: room)
    }
}

import Calotype
import Foundation
import Observation
import SwiftUI

/// What a ``CachedAsyncImage`` remembers between two evaluations of its body: the model, and the size that is loaded.
///
///     body        wish(for:) says what is to be shown, phase(of:) what is
///     onAppear    appear()
///     task        run(), begun anew by TaskID
///     placement   the record tells of the room; loads if no task has begun
///     onDisappear rest()
///
/// What is drawn never depends on the order of these, or on whether each comes: the phase is asked for by identity, and a
/// load that nobody has begun begins by itself.
@MainActor @Observable
final class CachedImageState {
    @ObservationIgnored let record = ProposalRecord()
    @ObservationIgnored private let model = RemoteImageModel()

    /// The room that an image of automatic size outgrew, in whole steps; `nil` as long as the first one does.
    private var grownRoom: ImageRoom?
    /// Changed to have the body evaluated for a reason that Observation doesn't know.
    private var renewal = 0
    /// The room that the image was first loaded for.
    @ObservationIgnored private var firstRoom: ImageRoom?
    /// What the body was last evaluated for.
    @ObservationIgnored private var latest: Wish?
    /// Whether the body has last shown what stands in for the image.
    @ObservationIgnored private var showsPreview = false
    /// What a task has begun to load, until the view goes.
    @ObservationIgnored private var begun: TaskID?
    /// Keeps what is under way when a larger size takes its place: SwiftUI ends one task before it begins the next.
    @ObservationIgnored private var bridge: ImageLoad?
    /// Loads where the view was laid out and its task hasn't begun: appearance isn't always told.
    @ObservationIgnored private var standIn: Task<Void, Never>?
    @ObservationIgnored private var isObserving = false
    /// Whether the view has gone in this turn: see ``rest()``.
    @ObservationIgnored private var isLeaving = false

    /// What is to be shown, and where it comes from.
    struct Wish {
        let request: ImageRequest?
        let pipeline: ImagePipeline
        let displayScale: CGFloat
        let taskID: TaskID
    }

    /// A change of it begins the view's task anew.
    struct TaskID: Hashable {
        var subject: RemoteImageModel.Subject?
        var grownRoom: ImageRoom?
    }

    nonisolated init() {}

    deinit {
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
        let isAutomatic = request?.size == .automatic
        let wish = Wish(
            request: request, pipeline: pipeline, displayScale: displayScale,
            taskID: TaskID(subject: subject, grownRoom: isAutomatic ? grownRoom : nil))
        latest = wish
        model.update = update
        if let request = sized(wish) { model.renew(request) }
        if begun != wish.taskID, record.isPlaced { loadUnlessBegunInThisTurn() }
        return wish
    }

    /// A pure query, apart from what Observation notes.
    func phase(of wish: Wish) -> RemoteImagePhase {
        _ = renewal
        guard !isLeaving, let request = sized(wish) else { return .empty }
        let phase = model.phase(for: request, in: wish.pipeline)
        showsPreview = !phase.isSuccess && phase.image != nil
        return phase
    }

    func retry() { model.retry() }

    // MARK: For the view's life

    /// The view has come, and has been laid out.
    func appear() {
        let learnsSize = firstRoom == nil && record.room != nil && latest?.request?.size == .automatic
        if firstRoom == nil { firstRoom = record.room }
        // Now that the size is known, what was a preview may be the image; and what had just left is back.
        guard isLeaving || (learnsSize && showsPreview) else { return }
        isLeaving = false
        renewal += 1
    }

    /// Loads what is wished for as long as the calling task runs.
    func run() async {
        // Cancelled before it began, it is of a view that has gone, or that wishes for something else.
        guard !Task.isCancelled else { return }
        if let latest, let session = begin(latest) { await model.proceed(with: session) }
    }

    /// The view has gone: its pixels are the caches' business now.
    ///
    /// A lazy container may keep the state of a row off screen, and with it what the body last gave: in this turn that is
    /// no image, so that neither holds pixels. Later evaluations are for the view's return.
    func rest() {
        endFormer()
        begun = nil
        model.rest()
        record.leave()
        isLeaving = true
        renewal += 1
        Task { [weak self] in
            await Task.yield()
            self?.endLeaving()
        }
    }

    private func endLeaving() {
        guard isLeaving else { return }
        isLeaving = false
        // It came back in this turn, and nobody has said so.
        if record.isPlaced { renewal += 1 }
    }

    /// Begins to load, in place of what was under way for this view, which ends once this has joined it.
    private func begin(_ wish: Wish) -> RemoteImageModel.Session? {
        appear()
        defer { endFormer() }
        begun = wish.taskID
        if wish.request?.size == .automatic, grownRoom == nil { firstRoom = record.room ?? Self.largestRoom }
        if let request = sized(wish) { return model.begin(request, in: wish.pipeline) }
        model.clear()
        return nil
    }

    private func endFormer() {
        standIn?.cancel()
        bridge?.cancel()
        (standIn, bridge) = (nil, nil)
    }

    private func loadUnlessBegunInThisTurn() {
        Task { [weak self] in
            // The task of a view that appears in this turn is begun before the next one.
            await Task.yield()
            self?.loadUnlessBegun()
        }
    }

    private func loadUnlessBegun() {
        guard let latest, begun != latest.taskID, record.isPlaced, let session = begin(latest) else { return }
        // It mustn't keep the state, whose end is its end.
        standIn = Task { [model] in await model.proceed(with: session) }
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
                self?.loadUnlessBegunInThisTurn()
            }
        }
    }

    private func noteRoom(_ room: ImageRoom) {
        // What was blanked, or has failed to begin, isn't brought back by a larger window.
        guard model.isShowing, let latest, latest.request?.size == .automatic, let loaded = grownRoom ?? firstRoom,
            room.exceeds(loaded)
        else { return }
        let grown = SizeBuckets.bucket(room.union(loaded))
        var request = latest.request
        request?.size = grown.size(displayScale: latest.displayScale)
        bridge?.cancel()
        bridge = request.map { latest.pipeline.load($0) }
        grownRoom = grown
    }
}

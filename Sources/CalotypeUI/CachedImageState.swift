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

    /// The room that an image of automatic size has grown to, in whole steps; `nil` as long as the first one does.
    private var grown: LoadedRoom?
    /// Changed to have the body evaluated for a reason that Observation doesn't know.
    private var renewal = 0
    /// The room that the image was first loaded for.
    @ObservationIgnored private var first: LoadedRoom?
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
    }

    /// A change of it begins the view's task anew.
    struct TaskID: Hashable {
        var subject: RemoteImageModel.Subject?
        var grownRoom: ImageRoom?
        var displayScale: CGFloat
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
        let grownRoom = grown.flatMap { $0.subject == subject ? $0.room : nil }
        let wish = Wish(
            request: request, pipeline: pipeline, displayScale: displayScale,
            taskID: TaskID(subject: subject, grownRoom: grownRoom, displayScale: displayScale))
        latest = wish
        model.update = update
        if let request = sized(wish) { model.renew(request) }
        if begun != wish.taskID, record.isPlaced { loadUnlessBegunInThisTurn() }
        return wish
    }

    /// A pure query, apart from what Observation notes.
    func phase(of wish: Wish) -> RemoteImagePhase {
        _ = renewal
        guard !isLeaving else { return .empty }
        let phase = known(of: wish)
        showsPreview = !phase.isSuccess && phase.image != nil
        return phase
    }

    private func known(of wish: Wish) -> RemoteImagePhase {
        sized(wish).map { model.phase(for: $0, in: wish.pipeline) } ?? .empty
    }

    func retry() { model.retry() }

    // MARK: For the view's life

    /// The view has come, and has been laid out.
    func appear() {
        let learnsSize = learnSize()
        // Now that the size is known, what was a preview may be the image; and what had just left is back.
        guard isLeaving || (learnsSize && showsPreview) else { return }
        isLeaving = false
        renewal += 1
    }

    private func learnSize() -> Bool {
        guard let latest, record.placement != nil, loadedRoom(of: latest) == nil else { return false }
        noteFirstRoom(of: latest)
        return loadedRoom(of: latest) != nil
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
        begun = wish.taskID
        noteFirstRoom(of: wish)
        let session = sized(wish).map { model.begin($0, in: wish.pipeline) }
        if session == nil { model.clear() }
        endFormer()
        // Between two tasks nothing is loaded that could have grown.
        notePlacement()
        return session
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

    /// The room for which an image is loaded that hasn't been laid out by the time it appears: 1,024 pixels each way.
    private static func unknownRoom(displayScale: CGFloat) -> ImageRoom {
        ImageRoom(width: 1_024 / displayScale, height: 1_024 / displayScale)
    }

    /// Remembers the room that an image of automatic size is to be loaded for at first.
    private func noteFirstRoom(of wish: Wish) {
        guard wish.request?.size == .automatic, let subject = wish.taskID.subject, wish.taskID.grownRoom == nil else {
            return
        }
        first = LoadedRoom(subject: subject, room: firstRoom(of: wish))
    }

    private func firstRoom(of wish: Wish) -> ImageRoom {
        guard let placement = record.placement else { return Self.unknownRoom(displayScale: wish.displayScale) }
        // What stands in for the image may tell already how large it will be.
        return growth(of: placement, from: placement.room, wish) ?? placement.room
    }

    private func growth(of placement: ImagePlacement, from loaded: ImageRoom, _ wish: Wish) -> ImageRoom? {
        placement.growth(
            from: loaded, original: known(of: wish).image?.sourcePixelSize, displayScale: wish.displayScale)
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
                self?.loadUnlessBegunInThisTurn()
            }
        }
    }

    private func notePlacement() {
        // What was blanked, or has failed to begin, isn't brought back by a larger window.
        guard model.isShowing, let latest, latest.request?.size == .automatic, let subject = latest.taskID.subject,
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

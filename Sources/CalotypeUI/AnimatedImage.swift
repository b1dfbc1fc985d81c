public import Calotype
import Foundation
public import SwiftUI

/// Plays an animated image. An image that isn't animated it shows.
///
/// `AsyncImage` shows the first frame of an animated image, and so does ``CachedAsyncImage``. To play it, name this view:
///
/// ```swift
/// CachedAsyncImage(ImageRequest(url: url)) { phase in
///     AnimatedImage(phase.image) { $0.resizable().scaledToFit() }
/// }
/// ```
///
/// The first frame is there at once. Frames are decoded as they are needed, a few ahead; one that comes late is skipped, so
/// that the animation keeps its time. It plays as often as its file says, then rests on its last frame.
///
/// It stands still, and nothing is decoded, while it is off screen, while the app isn't active, when the user has asked for
/// less motion, and when the user doesn't want animated images to play by themselves. A view that disappears begins anew.
///
/// To accessibility it is the image that the content shows.
///
/// - Isolation: Initialisers may be called anywhere; the body runs on the main actor. Frames are decoded elsewhere.
/// - Memory: That of the animation, see ``/Calotype/ImageAnimation``, and the frame that is shown.
public nonisolated struct AnimatedImage<Content: View>: View {
    private let image: DecodedImage?
    private let scale: CGFloat
    private let content: (Image) -> Content

    @State private var player = AnimationPlayer()
    @Environment(\.accessibilityReduceMotion) private var reducesMotion
    @Environment(\.accessibilityPlayAnimatedImages) private var playsAnimatedImages
    @Environment(\.scenePhase) private var scenePhase

    /// Plays an image in its own size.
    ///
    /// - Parameters:
    ///   - image: What to play; `nil` shows nothing.
    ///   - scale: Pixels of the file per point.
    public nonisolated init(_ image: DecodedImage?, scale: CGFloat = 1) where Content == Image {
        self.init(image, scale: scale) { $0 }
    }

    /// Plays an image.
    ///
    /// - Parameters:
    ///   - image: What to play; `nil` shows nothing.
    ///   - scale: Pixels of the file per point.
    ///   - content: Makes the view of a frame: here an image is made resizable.
    public nonisolated init(
        _ image: DecodedImage?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> Content
    ) {
        self.image = image
        self.scale = scale
        self.content = content
    }

    /// The frame whose turn it is.
    @MainActor public var body: some View {
        if let image {
            if let animation = image.animation {
                playing(animation, from: image)
            } else {
                content(Image(image, scale: scale))
            }
        }
    }

    @MainActor private func playing(_ animation: ImageAnimation, from first: DecodedImage) -> some View {
        let isPaused = reducesMotion || !playsAnimatedImages || !player.wantsToPlay(animation, in: scenePhase)
        return TimelineView(.animation(minimumInterval: animation.timelineInterval, paused: isPaused)) { context in
            content(Image(player.frame(of: animation) ?? first, scale: scale))
                .onChange(of: AnimationTick(context.date, animation), initial: true) {
                    if !isPaused { player.advance(animation, to: context.date) }
                }
        }
        .onChange(of: isPaused) { if isPaused { player.pause() } }
        .onChange(of: scenePhase, initial: true) { player.note(scenePhase) }
        .onAppear { player.isPresent = true }
        .onDisappear { player.stop() }
        .onScrollVisibilityChange(threshold: 0.01) { player.isInSight = $0 }
    }
}

/// A moment of a timeline, in the animation that is played then.
private nonisolated struct AnimationTick: Equatable {
    private let date: Date
    private let animation: ObjectIdentifier

    init(_ date: Date, _ animation: ImageAnimation) {
        self.date = date
        self.animation = ObjectIdentifier(animation)
    }
}

extension ImageAnimation {
    /// How often a timeline has to look, in seconds: a frame is late by a quarter of the shortest at most. No more than 60
    /// times a second.
    fileprivate var timelineInterval: Double {
        max((durations.min() ?? .zero) / .seconds(1) / 4, 1.0 / 60)
    }
}

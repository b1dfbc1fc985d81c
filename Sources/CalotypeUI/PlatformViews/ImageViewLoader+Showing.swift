import Calotype
import Foundation

/// What is shown for a wish: the model's phase, as the view draws it and the app is told.
extension ImageViewLoader {
    /// Shows what the model says, and tells the app, as far as that is news.
    ///
    /// - Parameters:
    ///   - anew: Whether to show what is there already: the app may have put something else into the view.
    ///   - placeholder: What to show where nothing is wished for.
    func render(anew: Bool = false, placeholder: Display.PlatformImage? = nil) {
        guard !isChanging else { return }
        guard let wish else {
            playback.stop()
            return show(.placeholder, placeholder, anew: anew)
        }
        let phase = phase(of: wish)
        switch phase {
        case .failure: show(.failure, wish.appearance.failureImage ?? wish.appearance.placeholder, anew: anew)
        case .success(let image, _):
            show(frame(of: image, wish), wish, anew: anew)
        case .empty, .loading:
            if let preview = phase.image {
                show(preview, wish, anew: anew)
            } else {
                show(.placeholder, wish.appearance.placeholder, anew: anew)
            }
        }
        play(phase, wish)
        if !wish.isCancelled { tell(phase, wish) }
    }

    private func phase(of wish: Wish) -> RemoteImagePhase {
        let phase = model.phase(for: sized(wish), in: wish.pipeline)
        if case .empty = phase, model.isShowing, !wish.isCancelled { return .loading(progress: nil, preview: nil) }
        return phase
    }

    private func show(_ state: Shown, _ image: Display.PlatformImage?, anew: Bool) {
        switch (shown, state) {
        case (.placeholder, .placeholder), (.failure, .failure): if !anew { return }
        default: break
        }
        let fades = if case .failure = state { isAnimatingChange } else { false }
        shown = state
        display.show(image.map { .platformImage($0) } ?? .nothing, transition(if: fades))
    }

    private func show(_ image: DecodedImage, _ wish: Wish, anew: Bool) {
        // What stands in for the image already only gets sharper, or moves by itself.
        var fades = isAnimatingChange
        if case .pixels(let present) = shown {
            if present === image, !anew { return }
            fades = false
        }
        shown = .pixels(image)
        display.show(.pixels(image, size: pointSize(of: image, wish)), transition(if: fades))
    }

    private func transition(if fades: Bool) -> ImageViewTransition {
        fades && display.isInWindow ? wish?.appearance.transition ?? .none : .none
    }

    private func pointSize(of image: DecodedImage, _ wish: Wish) -> CGSize {
        var size = image.originalPixelSize
        var scale = wish.appearance.scale
        if display.sizesImagesAsRequested {
            size = sized(wish).size.target().pixelSize(for: size)
            scale = display.room.displayScale
        }
        if !(scale > 0 && scale.isFinite) { scale = 1 }
        return CGSize(width: CGFloat(size.width) / scale, height: CGFloat(size.height) / scale)
    }

    private func tell(_ phase: RemoteImagePhase, _ wish: Wish) {
        guard let onPhase = wish.appearance.onPhase, told?.tellsTheSame(as: phase) != true else { return }
        told = phase
        // The last thing that is done here: the app may show something else at once.
        onPhase(phase)
    }

    // MARK: Playing

    private func frame(of image: DecodedImage, _ wish: Wish) -> DecodedImage {
        guard wish.appearance.playsAnimations, let animation = image.animation else { return image }
        return playback.frame(of: animation) ?? image
    }

    private func play(_ phase: RemoteImagePhase, _ wish: Wish) {
        guard case .success(let image, _) = phase, wish.appearance.playsAnimations, let animation = image.animation
        else { return playback.stop() }
        playback.play(animation, by: wish.pipeline.configuration.clock)
    }
}

extension RemoteImagePhase {
    /// Whether there is nothing new in a phase for who has heard of this one.
    fileprivate func tellsTheSame(as other: RemoteImagePhase) -> Bool {
        switch (self, other) {
        case (.empty, .empty): true
        case (.loading(let progress, let preview), .loading(let newProgress, let newPreview)):
            preview === newPreview && progress == newProgress
        case (.success(let image, _), .success(let newImage, _)): image === newImage
        case (.failure, .failure): true
        case (.empty, _), (.loading, _), (.success, _), (.failure, _): false
        }
    }
}

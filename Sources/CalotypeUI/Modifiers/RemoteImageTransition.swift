import Calotype
public import SwiftUI

/// How an image takes the place of what stood in for it: a placeholder, or the blurred colours that are remembered of it.
///
/// Nothing moves when it was at hand: it is there in the first frame. Nor does anything when more pixels of it come.
public struct RemoteImageTransition {
    let effect: AnyTransition
    let animation: Animation?

    /// At once, or as the transaction says that the view was given.
    public static nonisolated var none: RemoteImageTransition {
        RemoteImageTransition(effect: .identity, animation: nil)
    }

    /// The image appears over what stood in for it.
    public static nonisolated func fade(_ animation: Animation = .easeOut(duration: 0.2)) -> RemoteImageTransition {
        RemoteImageTransition(effect: .opacity, animation: animation)
    }

    /// A transition of the app's own.
    public static nonisolated func custom(_ effect: AnyTransition, animation: Animation) -> RemoteImageTransition {
        RemoteImageTransition(effect: effect, animation: animation)
    }

    /// The transaction of a change of phase; `nil` where the transition says nothing.
    var transaction: Transaction? { animation.map { Transaction(animation: $0) } }

    /// What is shown, as far as the transition tells it apart.
    enum Stage: Hashable {
        case any, placeholder, impression, image, failure
    }

    /// Without a transition all is one, so that the app's own view keeps its state from phase to phase.
    func stage(of phase: RemoteImagePhase) -> Stage {
        guard animation != nil else { return .any }
        if case .failure = phase { return .failure }
        guard let image = phase.image else { return .placeholder }
        return image.isImpression ? .impression : .image
    }
}

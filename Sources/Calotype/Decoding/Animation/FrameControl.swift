/// How a frame of an animation is put on the canvas, and for how long it is shown, whichever the format.
struct FrameControl: Sendable, Hashable {
    enum Blend: Sendable, Hashable {
        /// The frame's pixels take the place of what was there.
        case source
        /// They are put over it.
        case over
    }

    /// What becomes of the frame's place once its time is over.
    enum Disposal: Sendable, Hashable {
        /// It stays.
        case keep
        /// It becomes transparent.
        case clear
        /// It becomes what it was before the frame.
        case restore
    }

    /// What the frame covers of the canvas, within it. No pixels where the frame can't be seen.
    var left = 0
    var top = 0
    var width: Int
    var height: Int
    var duration: Duration
    var blend = Blend.source
    var disposal = Disposal.keep

    var pixelCount: Int { width * height }

    /// Whether nothing of the canvas is left uncovered.
    func covers(_ canvas: PixelSize) -> Bool { width == canvas.width && height == canvas.height }

    /// The time that a frame is shown for: 100 ms where the file says 10 ms or less.
    ///
    /// Old writers mean "as fast as you can" by that, on computers that were slow. Browsers have this rule, for all formats
    /// alike: in GIF, which counts in 10 ms, it concerns what is under 20 ms.
    ///
    /// - Source: Mozilla's FrameTimeout, Blink's DeferredImageDecoder, WebKit's ScalableImageDecoder.
    static func shownDuration(_ duration: Duration) -> Duration {
        duration <= .milliseconds(10) ? .milliseconds(100) : duration
    }
}

extension [FrameControl] {
    /// The last frame up to `index` from which on nothing shows of those before it: where to begin if `index` is wanted.
    func start(for index: Int, on canvas: PixelSize) -> Int {
        var start = index
        while start > 0 {
            let (frame, before) = (self[start], self[start - 1])
            let hidesAll = frame.covers(canvas) && frame.blend == .source
            let isOnClearCanvas = before.covers(canvas) && before.disposal == .clear
            // Of one that is taken back, what is there again for the frames after it would be missing.
            if hidesAll || isOnClearCanvas, frame.disposal != .restore { break }
            start -= 1
        }
        return start
    }
}

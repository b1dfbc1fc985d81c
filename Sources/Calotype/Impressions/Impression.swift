import Synchronization

/// What is remembered of an image that has been decoded before: its colours, blurred, and its size.
///
/// It is there as soon as it is asked for, with no I/O, when neither the image nor the file it came from is in any cache.
public struct Impression: Sendable {
    /// A colour in an image's own colour space; not premultiplied, each from 0 to 1.
    public struct Color: Hashable, Sendable {
        /// The red channel.
        public var red: Double
        /// The green channel.
        public var green: Double
        /// The blue channel.
        public var blue: Double
        /// How opaque it is.
        public var alpha: Double
    }

    package let record: ImpressionRecord
    private let images: ImpressionImages

    init(_ record: ImpressionRecord, _ images: ImpressionImages) {
        self.record = record
        self.images = images
    }

    /// The size of the image before it was downsampled. Of an image with a side of more than 65,535 pixels, a size of the
    /// same ratio.
    public var originalPixelSize: PixelSize { record.pixelSize }

    /// Width by height.
    public var aspectRatio: Double {
        Double(record.pixelSize.width) / Double(record.pixelSize.height)
    }

    /// The colour of the whole.
    public var averageColor: Color {
        let color = record.hash.averageColor
        return Color(
            red: Double(color.red), green: Double(color.green), blue: Double(color.blue), alpha: Double(color.alpha))
    }

    /// The blurred image, without processors: 32 pixels along its longer side, to be scaled up smoothly. Its
    /// `originalPixelSize` is the image's own, so that a layout that goes by it needn't change when the image comes.
    ///
    /// - Complexity: About 10 microseconds at first; whoever asks again soon gets the same object.
    public var image: DecodedImage { images.image(of: record) }
}

extension Impression: CustomStringConvertible, CustomReflectable {
    /// The size of the image that it is of; nothing of what it shows.
    public var description: String { "impression of \(originalPixelSize) pixels" }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

/// The blurred images that were made last, so that a view that is evaluated again shows the same object.
///
/// - Isolation: Any thread.
/// - Memory: 4 KiB of pixels for each, 1 MiB at most.
final class ImpressionImages: Sendable {
    private static let capacity = 256

    private struct State {
        var images: [ImpressionRecord: DecodedImage] = [:]
        /// Those in `images`, in a ring.
        var order: [ImpressionRecord] = []
        var oldest = 0
    }

    private let state = Mutex(State())

    func image(of record: ImpressionRecord) -> DecodedImage {
        if let image = state.withLock({ $0.images[record] }) { return image }
        let size = PixelTarget.fit(width: 32, height: 32).pixelSize(for: record.pixelSize)
        let image = DecodedImage(
            bitmap: record.hash.bitmap(size: size), originalPixelSize: record.pixelSize, colorSpace: record.colorSpace,
            isImpression: true)
        return state.withLock { state in
            // Another thread may have been faster.
            if let image = state.images[record] { return image }
            state.images[record] = image
            if state.order.count < Self.capacity {
                state.order.append(record)
            } else {
                state.images[state.order[state.oldest]] = nil
                state.order[state.oldest] = record
                state.oldest = (state.oldest + 1) % Self.capacity
            }
            return image
        }
    }

    func removeAll() {
        state.withLock { $0 = State() }
    }
}

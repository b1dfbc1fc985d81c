public import Foundation
import Synchronization

/// What is remembered of an image that has been decoded before, or known of one that hasn't: its colours, blurred, and its
/// size.
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
    /// Those of the table that it is from, if it is from one.
    private let images: ImpressionImages?

    init(_ record: ImpressionRecord, _ images: ImpressionImages?) {
        self.record = record
        self.images = images
    }

    /// The impression of an image: for a server that sends its ``thumbHash`` along with the image's URL.
    ///
    /// A ThumbHash doesn't tell a colour space. Load the image in sRGB, as pipelines do unless they are told otherwise.
    ///
    /// - Complexity: Some tens of microseconds.
    public init(of image: DecodedImage) {
        self.init(ImpressionRecord(image), nil)
    }

    /// What a ThumbHash tells of an image that hasn't been loaded: see
    /// ``ImagePipeline/insertImpression(_:for:)``.
    ///
    /// - Parameters:
    ///   - thumbHash: Its bytes, 17 to 25.
    ///   - pixelSize: The image's own. Without it, one of 32 pixels in about the same ratio takes its place, which will do for
    ///     views that don't go by it.
    /// - Returns: `nil` if no picture has that hash, or none that size.
    /// - Source: ThumbHash (Evan Wallace, 2023), https://evanw.github.io/thumbhash/
    public init?(thumbHash: Data, pixelSize: PixelSize? = nil) {
        guard let hash = ThumbHash(bytes: thumbHash) else { return nil }
        let size = pixelSize ?? hash.approximatePixelSize
        guard size.width > 0, size.height > 0 else { return nil }
        self.init(ImpressionRecord(hash: hash, pixelSize: size), nil)
    }

    /// The colours as a ThumbHash: 17 to 25 bytes.
    public var thumbHash: Data { Data(record.hash.bytes) }

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
    /// - Complexity: About 10 microseconds at first. Whoever asks a pipeline's impression again soon gets the same object;
    ///   one that the app has made itself makes its image each time.
    public var image: DecodedImage { images?.image(of: record) ?? record.image }
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
        let image = record.image
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

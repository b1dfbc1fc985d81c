public import Foundation
import Synchronization

/// Turns bytes into pixels close to the size that is shown.
///
/// - Isolation: Asked to decode on a thread of the decode queue, never on the main actor or the cooperative pool; that may
///   block. What must be quick may be asked on any thread. Calls may run at the same time.
public protocol ImageDecoder: Sendable {
    /// Whether this decoder can make pixels of that format: one that ``ImageFormat`` lists, or one that a decoder has
    /// recognised.
    func supports(_ format: ImageFormat) -> Bool

    /// Looks for a format of the decoder's own in bytes that begin like none of those that ``ImageFormat`` lists.
    ///
    /// Such bytes are no image unless a decoder of the app's says so; the first that does decides. It is asked again for the
    /// same file once there are clearly more bytes: a file may arrive in pieces of any length, a single byte at first. When
    /// it is read from a store, it is asked anew. Must be quick: a look at the first bytes, on whatever thread they arrive.
    ///
    /// - Parameter prefix: The file from its first byte, which has index 0: at least that one, and
    ///   ``FormatRecognition/prefixByteCount`` at most.
    func recognize(_ prefix: Data) -> FormatRecognition

    /// Decodes a complete image.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - format: What its first bytes say it is, by Calotype's reading or by a decoder's.
    ///   - options: The size to decode to, the limits, and whether anybody still waits.
    /// - Returns: An upright image of exactly ``DecodeOptions/target``'s size for it.
    /// - Throws: ``ImageError`` of stage `decoding`; `CancellationError` if nobody waits any more.
    func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage

    /// Begins a decode of bytes that are still arriving, or returns `nil` where the format gives no previews.
    func progressiveDecoding(format: ImageFormat, options: DecodeOptions) -> (any ProgressiveDecoding)?

    /// About how many bytes a decode takes at its peak, the result included and the file not. Decodes that would exceed
    /// the configuration's budget together wait for one another. Must be quick: a look at the header.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - format: What its first bytes say it is.
    ///   - pixelSize: The upright size that its header tells, if it does.
    ///   - target: The size to decode to.
    func estimatedByteCount(
        of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget
    ) -> Int
}

extension ImageDecoder {
    /// Has no format of its own.
    public func recognize(_ prefix: Data) -> FormatRecognition { .unrecognized }

    /// All pixels of the file, 4 bytes each, and the result beside them if it is smaller.
    public func estimatedByteCount(
        of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget
    ) -> Int {
        DecodeEstimate.whole(of: data, pixelSize: pixelSize, target: target)
    }

    /// Gives no previews.
    public func progressiveDecoding(format: ImageFormat, options: DecodeOptions) -> (any ProgressiveDecoding)? { nil }
}

/// A decode of bytes that are still arriving.
///
/// - Isolation: Used by one thread at a time.
public protocol ProgressiveDecoding: AnyObject, Sendable {
    /// Takes the next bytes.
    func append(_ bytes: Data) throws
    /// What can be shown of the bytes so far, or `nil` if nothing new can.
    func preview() throws -> DecodedImage?
}

/// What a decoder is asked for.
public struct DecodeOptions: Sendable {
    /// The size to decode to.
    public var target: PixelTarget
    /// The widest colour space that the pixels may have. Images of a narrower one, or of none, are sRGB in any case.
    public var colorSpace: DecodedImage.ColorSpace
    /// How pixels are made fewer.
    public var quality: ResizeQuality
    /// What the input may cost at most.
    public var limits: ImageLimits
    /// Tells the decoder, between rows, that nobody waits any more.
    public var cancellation: DecodeCancellation

    /// Makes options.
    public init(
        target: PixelTarget = .original,
        colorSpace: DecodedImage.ColorSpace = .sRGB,
        quality: ResizeQuality = .balanced,
        limits: ImageLimits = .init(), cancellation: DecodeCancellation = .init()
    ) {
        self.target = target
        self.colorSpace = colorSpace
        self.quality = quality
        self.limits = limits
        self.cancellation = cancellation
    }
}

/// A flag that a decode looks at between rows: set once, from any thread.
public final class DecodeCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Makes a flag that isn't set.
    public init() {}

    /// Asks the decode to stop.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Whether the decode should stop.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Throws `CancellationError` if the decode should stop.
    public func check() throws {
        if isCancelled { throw CancellationError() }
    }
}

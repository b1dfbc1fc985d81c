import Foundation

/// A thumbnail that an image server is asked for.
final class ServerThumbnail: Sendable {
    let url: URL
    /// What is asked for.
    let size: ServerThumbnails.Size
    /// The request that it is to answer.
    let original: ImageRequest

    init(url: URL, size: ServerThumbnails.Size, of original: ImageRequest) {
        self.url = url
        self.size = size
        self.original = original
    }

    /// Whether a file of that many pixels has been made smaller, so that nobody knows how large the original is. A pixel may
    /// be lost in rounding.
    func isReduced(_ file: PixelSize) -> Bool {
        let reachesWidth = size.width.map { file.width >= $0 - 1 }
        let reachesHeight = size.height.map { file.height >= $0 - 1 }
        switch size.mode {
        case .fit: return reachesWidth == true || reachesHeight == true
        case .fill: return reachesWidth != false && reachesHeight != false
        }
    }

    /// Whether a file of that many pixels has been made smaller than what is to be shown: a panorama that was to fit into a
    /// box, say, and was to cover another one.
    func fallsShort(_ file: PixelSize, of target: PixelTarget) -> Bool {
        guard isReduced(file) else { return false }
        let needed = target.pixelSize(for: file.ofUnknownOriginal)
        return file.width < needed.width - 1 || file.height < needed.height - 1
    }
}

extension PixelSize {
    /// A size of the same shape that no target asks for: what stands for an original whose size isn't known. By a power of
    /// two, so that what is computed from it is rounded as if it came from this one.
    var ofUnknownOriginal: PixelSize { PixelSize(width: width << 16, height: height << 16) }
}

extension DecodedImage {
    /// What targets are measured by: ``originalPixelSize``, or more than any target asks for where that isn't the original's.
    package var sourcePixelSize: PixelSize {
        isReducedByServer ? originalPixelSize.ofUnknownOriginal : originalPixelSize
    }
}

extension ImageError {
    /// Whether an image server has answered, and there is no thumbnail: then the original is loaded.
    var isThumbnailRefusal: Bool {
        switch (stage, reason) {
        case (.validation, .status(let status)): status < 500
        case (.validation, _), (.decoding, _), (.cache, .notStored): true
        default: false
        }
    }

    /// How an image server, or the way to it, has failed: then a stored original stands in. `nil` for anything else.
    var thumbnailOutage: HTTPCache.Failure? { isThumbnailRefusal ? nil : cacheFailure(hasResponse: false) }

    /// Whether it will be so for a while.
    var isLastingThumbnailRefusal: Bool {
        switch reason {
        case .notStored, .status(408), .status(425), .status(429): false
        default: isThumbnailRefusal
        }
    }
}

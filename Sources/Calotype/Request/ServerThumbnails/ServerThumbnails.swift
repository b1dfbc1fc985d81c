public import Foundation

/// Has an image server make the size that is shown, in place of downloading the original.
///
/// ```swift
/// configuration.serverThumbnails = ServerThumbnails(
///     .thumbor(at: imageServer, key: key), for: ["photos.example.com"])
/// ```
///
/// A request that names a size is then sent to the image server, for the next step of that size (eight between each power
/// of two and the next, as views' automatic sizes grow): the server's cache, and this one's, are asked for few sizes of a
/// picture, and what comes is decoded to the size itself. The picture stays what it was: its ``ResourceID``, and with it
/// memory, previews, impressions and ``ImagePipeline/invalidate(_:)``, go by the request; the stored response goes by the
/// thumbnail's URL. Of a thumbnail that is smaller than its original, ``DecodedImage/originalPixelSize`` is the
/// thumbnail's, since nobody has said what the original's is.
///
/// Not sent there are requests that name no size or the original's, requests other than a plain GET, those of
/// ``ImagePipeline/data(for:)-(ImageRequest)``, those that memory shows to want all that the original has, and URLs that
/// hold credentials: user information, or the signature that the configuration's ``SignatureRule`` knows.
///
/// If the server refuses (status 4xx), or what it sends can't be shown or has too few pixels, the original is loaded, and
/// the server isn't asked for that URL again for a while (``refusalDuration``). It is not loaded for want of a connection
/// or because the server fails (5xx). Then the original stands in at once if it is stored and fresh, or may be used stale
/// as any stored response that can't be validated; if not, the thumbnail is retried as the request says, and then the
/// load goes on to the request's other URLs, or fails.
///
/// Requests to an image server on another origin than the original's have, of the configuration's fields, those alone that
/// any server may see, none of the request's own, and aren't shown to the configuration's `authorize`; unless
/// ``sendsCredentials`` says so.
public struct ServerThumbnails: Sendable {
    /// The hosts whose images the server makes thumbnails of. "example.com" is that host alone, "*.example.com" are
    /// those below it. Ports don't matter; international names may be written in either form.
    public var hosts: Set<String>
    /// The server.
    public var server: Server
    /// What to ask for, in order of preference: the first that a decoder of the pipeline reads. If there is none, the
    /// server chooses, as a rule the original's format. ``ImageFormat/webP``, ``ImageFormat/avif``, ``ImageFormat/jpeg``
    /// and ``ImageFormat/png`` can be asked for.
    public var formats: [ImageFormat] = []
    /// How much of the picture lossy formats keep, from 1 to 100; `nil` leaves it to the server.
    public var quality: Int?
    /// Whether a server on another origin gets what the original's would: the request's own fields and all of the
    /// configuration's, with the credentials among them, the signature that `authorize` adds, and URLs that hold
    /// credentials. `false` unless changed.
    public var sendsCredentials = false
    /// How long the server isn't asked for thumbnails of a URL that it has refused, within a partition. Ten minutes
    /// unless changed. ``ImagePipeline/invalidate(_:)``, ``ImagePipeline/removePartition(_:)`` and
    /// ``ImagePipeline/removeAll()`` forget it.
    public var refusalDuration = Duration.seconds(600)

    /// Makes thumbnails of the images on some hosts.
    public init(_ server: Server, for hosts: Set<String>) {
        self.server = server
        self.hosts = hosts
    }

    /// How a server is to encode a thumbnail.
    public struct Style: Sendable, Hashable {
        /// The format; `nil` leaves it to the server.
        public var format: ImageFormat?
        /// From 1 to 100; `nil` leaves it to the server.
        public var quality: Int?

        /// Makes a style.
        public init(format: ImageFormat? = nil, quality: Int? = nil) {
            self.format = format
            self.quality = quality
        }

        /// The format's name in URLs, the same for all servers; `nil` where the server is to choose.
        var formatName: String? {
            switch format {
            case .webP: "webp"
            case .avif: "avif"
            case .jpeg: "jpeg"
            case .png: "png"
            default: nil
            }
        }
    }

    /// An image server: the form that its URLs have, with what signs them.
    ///
    /// Secrets stay inside: no description, log, key, event or error of the package shows one. A secret that ships with an
    /// app can be read out of it all the same. Where that matters, leave the signing to a server of your own, and name its
    /// URLs with ``custom(_:coversWithoutCropping:url:)``.
    public struct Server: Sendable, CustomStringConvertible, CustomReflectable {
        /// What it is called in descriptions.
        public let description: String
        /// Whether it can cover a box without cropping: see ``Size/Mode/fill``.
        let coversWithoutCropping: Bool
        /// The URL of a thumbnail; `nil` for what the server makes none of: URLs of its own, say.
        let url: @Sendable (_ original: URL, _ size: Size, _ style: Style) -> URL?

        init(
            _ description: String, coversWithoutCropping: Bool,
            url: @escaping @Sendable (_ original: URL, _ size: Size, _ style: Style) -> URL?
        ) {
            self.description = description
            self.coversWithoutCropping = coversWithoutCropping
            self.url = url
        }

        /// A server of another kind.
        ///
        /// - Parameters:
        ///   - name: What it is called in descriptions.
        ///   - coversWithoutCropping: Whether it can make an image that covers a box and keeps what reaches over it. If not,
        ///     it is asked for boxes to fit into alone, so large that pictures of common shapes cover what is shown.
        ///   - url: Gives the URL of a thumbnail, the same for the same arguments; `nil` for what the server makes none of.
        ///     It must not be enlarged beyond the original. Called on any thread; must not block.
        public static func custom(
            _ name: String, coversWithoutCropping: Bool = false,
            url: @escaping @Sendable (_ original: URL, _ size: Size, _ style: Style) -> URL?
        ) -> Server {
            Server(name, coversWithoutCropping: coversWithoutCropping, url: url)
        }

        /// Nothing: what the closures hold is a secret.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// A secret that isn't written as it should be. The message names it, and doesn't hold it.
    public struct InvalidSecret: Error, CustomStringConvertible {
        /// Which secret.
        public let name: String

        /// What is wrong with it, and what to do.
        public var description: String {
            "The \(name) isn't made of pairs of hexadecimal digits. Write it as the server's configuration has it."
        }
    }
}

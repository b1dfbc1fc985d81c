/// What the first bytes of a file are to a decoder that knows a format of its own: see ``ImageDecoder/recognize(_:)``.
public enum FormatRecognition: Hashable, Sendable {
    /// An image of that format, which the decoder supports.
    ///
    /// The size is the upright one in pixels, if the bytes tell it: a file beyond the limits is then refused before the
    /// rest of it arrives.
    case image(ImageFormat, pixelSize: PixelSize? = nil)
    /// It may be one, but there are too few bytes to tell. The whole of a file is no image then.
    case needsMoreBytes
    /// Another kind of file.
    case unrecognized

    /// How many bytes are shown at most. What can't be told by so many is refused, so that nobody has to receive a long
    /// body to find out that it is no image.
    public static let prefixByteCount = 64 << 10
}

#if canImport(CCodecs)
import CCodecs

extension ImageError {
    /// The error for what a codec answered.
    ///
    /// - Parameters:
    ///   - message: The library's text. It names markers and chunks, nothing private.
    ///   - offset: How many bytes had been read, where the library tells.
    init(_ status: cc_status, format: ImageFormat, message: UnsafePointer<CChar>, offset: Int?) {
        let text = String(cString: message)
        let reason: Reason
        switch status {
        case CC_INCOMPLETE: reason = .incomplete(format)
        // Named as a format of its own: the file is sound, and loading it again wouldn't help.
        case CC_UNSUPPORTED: reason = .unsupportedFormat(ImageFormat("\(format) (\(text))"))
        case CC_LIMIT: reason = .limitExceeded(format, detail: text)
        case CC_NO_MEMORY: reason = .limitExceeded(format, detail: "the system's memory")
        default: reason = .corrupt(format, detail: text.isEmpty ? "no detail" : text, offset: offset)
        }
        self.init(.decoding, reason)
    }
}
#endif

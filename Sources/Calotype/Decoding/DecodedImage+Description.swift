extension DecodedImage: CustomStringConvertible, CustomReflectable {
    /// "264 x 176 pixels of 4032 x 2688, 185856 bytes", and what else there is to know: that it is animated, say.
    public var description: String {
        var text = "\(pixelSize) pixels"
        if originalPixelSize != pixelSize { text += " of \(originalPixelSize)" }
        text += ", \(byteCount) bytes"
        if colorSpace == .displayP3 { text += ", Display P3" }
        if isToneMapped { text += ", tone-mapped" }
        if isImpression { text += ", an impression" }
        if let animation { text += ", animated: \(animation)" }
        return text
    }

    /// Nothing but the description: a dump would go through every byte.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

extension ImageAnimation: CustomStringConvertible, CustomReflectable {
    /// "12 frames in 1.2 seconds, for ever".
    public var description: String {
        let duration = durations.reduce(.zero, +)
        let rounds = loopCount == 0 ? "for ever" : loopCount == 1 ? "once" : "\(loopCount) times"
        return "\(frameCount) frames in \(duration), \(rounds)"
    }

    /// Nothing but the description: a dump would go through every byte.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

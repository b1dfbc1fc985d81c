extension Bitmap {
    /// The same image at another size, by Lanczos; smaller, or larger.
    ///
    /// - Parameter size: Both sides at least 1.
    /// - Returns: The bitmap itself if it has that size.
    public func resized(to size: PixelSize) -> Bitmap {
        do {
            return try resized(to: size, cancellation: DecodeCancellation())
        } catch {
            // Nothing but a cancellation throws, and nobody else has this one.
            return self
        }
    }

    /// The same by that quality, with a cancellation that is looked at between rows.
    package func resized(
        to target: PixelSize, quality: ResizeQuality = .balanced, cancellation: DecodeCancellation
    ) throws -> Bitmap {
        precondition(target.width > 0 && target.height > 0, "A bitmap has at least one pixel; got \(target).")
        if target == size { return self }
        return try withUnsafeBytes { pixels in
            let rows = pixels.baseAddress!.assumingMemoryBound(to: UInt8.self)
            return try Bitmap(size: target) { buffer in
                let resizer = RowResizer(
                    source: size, isOpaque: false, quality: quality,
                    placement: RowPlacement(buffer, storedSize: target, orientation: .up))
                for y in 0..<size.height {
                    if y % 16 == 0 { try cancellation.check() }
                    resizer.append(rows + y * bytesPerRow)
                }
            }
        }
    }

    /// The same pixels, turned upright.
    package func oriented(_ orientation: ImageOrientation) -> Bitmap {
        if orientation == .up { return self }
        return withUnsafeBytes { pixels in
            let rows = pixels.baseAddress!.assumingMemoryBound(to: UInt8.self)
            return Bitmap(size: orientation.applied(to: size)) { buffer in
                let placement = RowPlacement(buffer, storedSize: size, orientation: orientation)
                for y in 0..<size.height { placement.place(rows + y * bytesPerRow, y: y) }
            }
        }
    }
}

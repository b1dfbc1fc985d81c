/// Where finished rows go: into an upright bitmap, turned on the way as the orientation says.
///
/// A value that borrows the bitmap's buffer: used inside `Bitmap.init`'s closure alone.
struct RowPlacement {
    /// The bitmap's first byte; RGBA, 4 bytes a pixel, rows from the top.
    let base: UnsafeMutablePointer<UInt8>
    /// The size of the rows as they come, before they are turned.
    let storedSize: PixelSize
    let orientation: ImageOrientation
    /// Turns finished rows into the bitmap's colours.
    let conversion: ColorConversion?

    /// - Parameter buffer: The bitmap's bytes; its size is `orientation.applied(to: storedSize)`.
    init(
        _ buffer: UnsafeMutableRawBufferPointer, storedSize: PixelSize, orientation: ImageOrientation,
        conversion: ColorConversion? = nil
    ) {
        precondition(buffer.count == storedSize.pixelCount * 4, "The buffer has to hold \(storedSize) pixels.")
        base = buffer.baseAddress!.assumingMemoryBound(to: UInt8.self)
        self.storedSize = storedSize
        self.orientation = orientation
        self.conversion = conversion
    }

    /// The place of a row, where rows stay as they are and may be written without another copy.
    func directRow(_ y: Int) -> UnsafeMutablePointer<UInt8>? {
        orientation == .up ? base + y * storedSize.width * 4 : nil
    }

    /// Converts the row that has been written to ``directRow(_:)``.
    func finishDirectRow(_ y: Int) {
        conversion?.convert(base + y * storedSize.width * 4, pixelCount: storedSize.width)
    }

    /// Copies row `y`, converted already, to its place.
    func place(_ row: UnsafePointer<UInt8>, y: Int) {
        let width = storedSize.width
        let height = storedSize.height
        // The pixel (x, y) goes to `first + x * step`, counted in pixels of the upright bitmap.
        let first: Int
        let step: Int
        switch orientation {
        case .up: (first, step) = (y * width, 1)
        case .upMirrored: (first, step) = (y * width + width - 1, -1)
        case .down: (first, step) = ((height - y) * width - 1, -1)
        case .downMirrored: (first, step) = ((height - 1 - y) * width, 1)
        case .leftMirrored: (first, step) = (y, height)
        case .right: (first, step) = (height - 1 - y, height)
        case .rightMirrored: (first, step) = ((width - 1) * height + height - 1 - y, -height)
        case .left: (first, step) = ((width - 1) * height + y, -height)
        }
        if step == 1 {
            (base + first * 4).update(from: row, count: width * 4)
            return
        }
        var source = UnsafeRawPointer(row)
        var target = UnsafeMutableRawPointer(base + first * 4)
        var x = 0
        while x < width {
            target.storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
            source += 4
            target += step &* 4
            x &+= 1
        }
    }
}

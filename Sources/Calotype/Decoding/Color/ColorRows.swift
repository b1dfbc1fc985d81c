// Loops over rows of 4 bytes a pixel, in place; written as those of the resize are.
enum ColorRows {
    /// Whether all alpha is 255.
    @inline(never)
    static func isOpaque(_ row: UnsafePointer<UInt8>, pixelCount: Int) -> Bool {
        var all: UInt8 = 255
        var x = 0
        while x < pixelCount {
            all &= row[x &* 4 &+ 3]
            x &+= 1
        }
        return all == 255
    }

    /// Divides colours by their alpha, rounded to the nearest. What is transparent becomes black.
    @inline(never)
    static func unpremultiply(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        var pixel = row
        var x = 0
        while x < pixelCount {
            let alpha = UInt32(pixel[3])
            if alpha != 255 {
                if alpha == 0 {
                    pixel[0] = 0
                    pixel[1] = 0
                    pixel[2] = 0
                } else {
                    pixel[0] = divided(pixel[0], by: alpha)
                    pixel[1] = divided(pixel[1], by: alpha)
                    pixel[2] = divided(pixel[2], by: alpha)
                }
            }
            pixel += 4
            x &+= 1
        }
    }

    @inline(__always)
    private static func divided(_ value: UInt8, by alpha: UInt32) -> UInt8 {
        let quotient = (UInt32(value) &* 255 &+ alpha / 2) / alpha
        return UInt8(truncatingIfNeeded: quotient < 255 ? quotient : 255)
    }

    /// Inks to light: each lets through what it doesn't cover, and so does black.
    @inline(never)
    static func mixInks(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        var pixel = row
        var x = 0
        while x < pixelCount {
            let light = 255 &- UInt32(pixel[3])
            let red = (255 &- UInt32(pixel[0])) &* light &+ 128
            let green = (255 &- UInt32(pixel[1])) &* light &+ 128
            let blue = (255 &- UInt32(pixel[2])) &* light &+ 128
            // As in ResizeKernels.premultiply: by 255, rounded.
            pixel[0] = UInt8(truncatingIfNeeded: (red &+ (red >> 8)) >> 8)
            pixel[1] = UInt8(truncatingIfNeeded: (green &+ (green >> 8)) >> 8)
            pixel[2] = UInt8(truncatingIfNeeded: (blue &+ (blue >> 8)) >> 8)
            pixel[3] = 255
            pixel += 4
            x &+= 1
        }
    }

    /// Replaces grays by those of a table of 256.
    @inline(never)
    static func replaceGrays(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int, by table: [UInt8]) {
        table.withUnsafeBufferPointer { table in
            let grays = table.baseAddress!
            var pixel = row
            var x = 0
            while x < pixelCount {
                let gray = grays[Int(pixel[0])]
                pixel[0] = gray
                pixel[1] = gray
                pixel[2] = gray
                pixel += 4
                x &+= 1
            }
        }
    }
}

import Foundation

/// What an animation's frames are drawn on, one after another: RGBA, 8 bits a channel, premultiplied, rows from the top.
///
/// - Isolation: Used by one thread at a time.
/// - Memory: 4 bytes a pixel, and as many for each pixel of a frame that is to be taken back.
final class FrameCanvas {
    let size: PixelSize
    private let pixels: UnsafeMutablePointer<UInt8>
    /// The frame drawn last, whose disposal is still to come.
    private var last: FrameControl?
    /// What that frame covers, if it is to be taken back.
    private var covered: UnsafeMutablePointer<UInt8>?

    /// - Returns: `nil` if the system has no memory left.
    init?(size: PixelSize) {
        guard let memory = calloc(size.pixelCount, 4) else { return nil }
        self.size = size
        pixels = memory.assumingMemoryBound(to: UInt8.self)
    }

    deinit {
        free(pixels)
        free(covered)
    }

    /// Makes all of it transparent, as before the first frame.
    func clear() {
        memset(pixels, 0, size.pixelCount * 4)
        last = nil
        free(covered)
        covered = nil
    }

    /// A row, `size.width * 4` bytes.
    func row(_ y: Int) -> UnsafePointer<UInt8> { UnsafePointer(pixels + y * size.width * 4) }

    /// Disposes of the frame before, and prepares for this one.
    ///
    /// - Throws: If the system has no memory left for what this one covers.
    func begin(_ control: FrameControl, format: ImageFormat) throws {
        dispose()
        last = control
        guard control.disposal == .restore, control.pixelCount > 0 else { return }
        guard let memory = malloc(control.pixelCount * 4) else {
            throw ImageError(.decoding, .limitExceeded(format, detail: "the system's memory"))
        }
        let copy = memory.assumingMemoryBound(to: UInt8.self)
        for y in 0..<control.height {
            (copy + y * control.width * 4).update(from: place(control, y), count: control.width * 4)
        }
        covered = copy
    }

    private func dispose() {
        guard let control = last else { return }
        for y in 0..<control.height {
            let count = control.width * 4
            switch control.disposal {
            case .keep: return
            case .clear: place(control, y).update(repeating: 0, count: count)
            case .restore: if let covered { place(control, y).update(from: covered + y * count, count: count) }
            }
        }
        free(covered)
        covered = nil
    }

    /// Draws row `y` of a frame that has begun: as many pixels as the frame is wide, premultiplied.
    func draw(_ row: UnsafePointer<UInt8>, y: Int, of control: FrameControl) {
        switch control.blend {
        case .source: place(control, y).update(from: row, count: control.width * 4)
        case .over: Self.blend(row, over: place(control, y), pixelCount: control.width)
        }
    }

    private func place(_ control: FrameControl, _ y: Int) -> UnsafeMutablePointer<UInt8> {
        pixels + ((control.top + y) * size.width + control.left) * 4
    }

    /// Source over target, premultiplied and rounded to the nearest.
    ///
    /// A plain loop, as in `ResizeKernels`.
    @inline(never)
    private static func blend(
        _ source: UnsafePointer<UInt8>, over target: UnsafeMutablePointer<UInt8>, pixelCount: Int
    ) {
        var (from, to) = (UnsafeRawPointer(source), UnsafeMutableRawPointer(target))
        var x = 0
        while x < pixelCount {
            let pixel = from.loadUnaligned(as: UInt32.self)
            let alpha = UInt32(from.load(fromByteOffset: 3, as: UInt8.self))
            if alpha == 255 {
                to.storeBytes(of: pixel, as: UInt32.self)
            } else if alpha > 0 {
                let left = 255 &- alpha
                var channel = 0
                while channel < 4 {
                    let value = UInt32(to.load(fromByteOffset: channel, as: UInt8.self)) &* left &+ 128
                    // As where colours are premultiplied, this is the product of two bytes by 255, rounded.
                    let rest = (value &+ (value >> 8)) >> 8
                    let sum = UInt32(from.load(fromByteOffset: channel, as: UInt8.self)) &+ rest
                    to.storeBytes(
                        of: UInt8(truncatingIfNeeded: sum > 255 ? 255 : sum), toByteOffset: channel, as: UInt8.self)
                    channel &+= 1
                }
            }
            from += 4
            to += 4
            x &+= 1
        }
    }
}

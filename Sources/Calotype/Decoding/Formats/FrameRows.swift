#if canImport(CCodecs)
import CCodecs

/// Takes the rows of a file's first frame, and gives a resizer those of the canvas: what the frame doesn't cover is
/// transparent.
///
/// - Isolation: Used by one thread.
/// - Memory: One row of the canvas, if the frame is smaller.
final class FrameRows {
    private let frame: cc_frame
    private let canvas: PixelSize
    private let resizer: RowResizer
    private let check: DecodeGuard
    /// One row of the canvas; nothing is ever written beside the frame's columns.
    private let row: UnsafeMutableBufferPointer<UInt8>
    private let isWhole: Bool

    /// Makes rows of a canvas.
    ///
    /// - Parameter resizer: Takes rows of the canvas's size; of the frame's, scaled or not, if it covers the canvas.
    init(frame: cc_frame, canvas: PixelSize, resizer: RowResizer, check: DecodeGuard) {
        self.frame = frame
        self.canvas = canvas
        self.resizer = resizer
        self.check = check
        isWhole = frame.covers(canvas)
        row = .allocate(capacity: isWhole ? 0 : canvas.width * 4)
        row.initialize(repeating: 0)
    }

    deinit { row.deallocate() }

    /// Gives the rows above the frame. To be called before the first row.
    func begin() throws {
        if !isWhole { try appendBlankRows(Int(frame.top)) }
    }

    /// Takes the frame's next row: RGBA, premultiplied.
    func append(_ pixels: UnsafePointer<UInt8>) {
        if isWhole {
            resizer.append(pixels)
        } else {
            (row.baseAddress! + Int(frame.left) * 4).update(from: pixels, count: Int(frame.width) * 4)
            resizer.append(row.baseAddress!)
        }
    }

    /// Gives the rows below the frame. To be called after the last row.
    func finish() throws {
        if !isWhole { try appendBlankRows(canvas.height - Int(frame.top) - Int(frame.height)) }
    }

    private func appendBlankRows(_ count: Int) throws {
        row.update(repeating: 0)
        for index in 0..<count {
            if index % 16 == 0 { try check.check() }
            resizer.append(row.baseAddress!)
        }
    }
}

extension cc_frame {
    /// Whether nothing of the canvas is left uncovered.
    func covers(_ canvas: PixelSize) -> Bool { Int(width) == canvas.width && Int(height) == canvas.height }
}
#endif

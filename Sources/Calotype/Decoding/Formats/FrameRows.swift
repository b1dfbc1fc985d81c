#if canImport(CCodecs)
import CCodecs

/// Takes the rows of a file's first frame, and gives a resizer those of the canvas: what the frame doesn't cover, and what
/// hasn't arrived of it, is transparent.
///
/// - Isolation: Used by one thread.
/// - Memory: One row of the canvas, if the frame is smaller or isn't all there.
final class FrameRows {
    private let frame: cc_frame
    private let resizer: RowResizer
    private let check: DecodeGuard
    /// One row of the canvas; nothing is ever written beside the frame's columns.
    private var row: UnsafeMutableBufferPointer<UInt8>
    private let isWhole: Bool
    /// Rows of the frame that have come.
    private(set) var frameRowCount = 0
    /// Rows given to the resizer so far.
    private var count = 0

    /// Makes rows of a canvas.
    ///
    /// - Parameter resizer: Takes rows of the canvas's size; of the frame's, scaled or not, if it covers the canvas.
    init(frame: cc_frame, canvas: PixelSize, resizer: RowResizer, check: DecodeGuard) {
        self.frame = frame
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
        frameRowCount += 1
        count += 1
        if isWhole {
            resizer.append(pixels)
        } else {
            (row.baseAddress! + Int(frame.left) * 4).update(from: pixels, count: Int(frame.width) * 4)
            resizer.append(row.baseAddress!)
        }
    }

    /// Gives the rows below the frame, and those that it lacks. To be called after the last row.
    func finish() throws {
        try appendBlankRows(resizer.source.height - count)
    }

    private func appendBlankRows(_ blankCount: Int) throws {
        guard blankCount > 0 else { return }
        if row.count == 0 {
            row = .allocate(capacity: resizer.source.width * 4)
            row.initialize(repeating: 0)
        }
        row.update(repeating: 0)
        for index in 0..<blankCount {
            if index % 16 == 0 { try check.check() }
            resizer.append(row.baseAddress!)
        }
        count += blankCount
    }
}

extension cc_frame {
    /// Whether nothing of the canvas is left uncovered.
    func covers(_ canvas: PixelSize) -> Bool { Int(width) == canvas.width && Int(height) == canvas.height }

    init(_ control: FrameControl, hasAlpha: Bool) {
        self.init(
            left: UInt32(control.left), top: UInt32(control.top), width: UInt32(control.width),
            height: UInt32(control.height), has_alpha: hasAlpha)
    }
}

/// Whether `body` came to its end: `false` if the bytes did first.
func isComplete(_ body: () throws -> Void) throws -> Bool {
    do {
        try body()
        return true
    } catch let error as ImageError {
        guard case .incomplete = error.reason else { throw error }
        return false
    }
}
#endif

#if os(Linux)
/// Makes a bitmap of rows that a library can give in any number, once it has decoded the picture.
///
/// A value that borrows what `read` refers to.
struct DecodedRows {
    /// The size of the rows, before they are turned.
    let stored: PixelSize
    let orientation: ImageOrientation
    let isOpaque: Bool
    let quality: ResizeQuality
    let conversion: ColorConversion?
    /// Gives `count` rows from `first`, each `stride` bytes after the one before: RGBA, premultiplied.
    let read: (_ first: Int, _ count: Int, _ rows: UnsafeMutablePointer<UInt8>, _ stride: Int) throws -> Void

    /// - Memory: 16 rows and the resizer's window, beside the result.
    func bitmap(_ target: PixelTarget, check: DecodeGuard) throws -> Bitmap {
        let result = target.pixelSize(for: orientation.applied(to: stored))
        let storedResult = orientation.applied(to: result)
        let stride = stored.width * 4
        return try Bitmap(size: result) { buffer in
            let placement = RowPlacement(
                buffer, storedSize: storedResult, orientation: orientation, conversion: conversion)
            let batch = 16
            if storedResult == stored, orientation == .up {
                var y = 0
                while y < stored.height {
                    try check.check()
                    let count = min(batch, stored.height - y)
                    try read(y, count, placement.base + y * stride, stride)
                    for row in y..<y + count { placement.finishDirectRow(row) }
                    y += count
                }
                return
            }
            let resizer = RowResizer(source: stored, isOpaque: isOpaque, quality: quality, placement: placement)
            let rows = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * batch)
            defer { rows.deallocate() }
            var y = 0
            while y < stored.height {
                try check.check()
                let count = min(batch, stored.height - y)
                try read(y, count, rows, stride)
                for row in 0..<count { resizer.append(rows + row * stride) }
                y += count
            }
        }
    }
}
#endif

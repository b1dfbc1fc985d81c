#if canImport(CCodecsHEIC)
import CCodecs
import CCodecsHEIC

/// Decodes the primary image of HEIC, and of HEIF with other codings that the library knows, through libheif: rows are
/// converted from the codec's planes as the resize takes them.
///
/// The library applies the items' crops, turns and mirrors; EXIF doesn't count. Other images of the file (the second of a
/// pair, depth, thumbnails) aren't looked at: several images are no animation. HDR is tone-mapped by ``ToneCurve``.
///
/// Neither libheif nor libde265 can be interrupted: the cancellation and the time limit are looked at before and after
/// them, and between rows. Whoever is no longer waiting has gone by then; the decode ends in the background.
///
/// A value that borrows the bytes: used inside one `withUnsafeBytes` closure.
struct HEICDecoder {
    let bytes: UnsafeRawBufferPointer
    let options: DecodeOptions
    let check: DecodeGuard

    func decode() throws -> DecodedImage {
        guard !ImageHeader.isCutOff(bytes, format: .heic) else { throw ImageError(.decoding, .incomplete(.heic)) }
        try checkCodedSizes()
        guard let heic = cc_heic_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) else {
            throw ImageError(CC_NO_MEMORY, format: .heic, message: "", offset: nil)
        }
        defer { cc_heic_close(heic) }
        func succeed(_ status: cc_status) throws {
            guard status != CC_OK else { return }
            throw ImageError(status, format: .heic, message: cc_heic_message(heic), offset: nil)
        }

        var info = cc_heic_info()
        try succeed(cc_heic_read_header(heic, check.limits.profileByteCount, &info))
        let size = PixelSize(width: Int(info.width), height: Int(info.height))
        try check.check(size)
        let color = color(info).inBytes
        let conversion = ColorConversion(color, to: options.colorSpace, limits: options.limits)
        let bitmap = try (color.byteTable ?? []).withUnsafeBufferPointer { table in
            try succeed(cc_heic_decode(heic, table.isEmpty ? nil : table.baseAddress))
            try check.check()
            return try DecodedRows(
                stored: size, orientation: .up, isOpaque: !info.has_alpha, quality: options.quality,
                conversion: conversion
            ) { first, count, rows, stride in
                try succeed(cc_heic_read_rows(heic, UInt32(first), UInt32(count), rows, stride))
            }.bitmap(options.target, check: check)
        }
        return DecodedImage(bitmap: bitmap, originalPixelSize: size, conversion: conversion)
    }

    private func color(_ info: cc_heic_info) -> SourceColor {
        if let profile = info.profile {
            return SourceColor(
                encoding: .profile(Array(UnsafeBufferPointer(start: profile, count: info.profile_byte_count))))
        }
        return SourceColor(encoding: .codePoints(primaries: Int(info.primaries), transfer: Int(info.transfer)))
    }

    /// Refuses a file one of whose bitstreams is larger than the limit, whatever its items claim: libde265 takes memory for
    /// what the bitstream says.
    private func checkCodedSizes() throws {
        for box in ISOBoxes(ByteReader(bytes)) where box.isType("meta") {
            for properties in box.children(after: 4) where properties.isType("iprp") {
                for container in properties.children() where container.isType("ipco") {
                    for property in container.children() where property.isType("hvcC") {
                        guard let size = HEVCParameters.codedSize(property.payload) else { continue }
                        // Coded sizes are multiples of blocks, of at most 64 pixels.
                        try check.check(PixelSize(width: max(size.width - 63, 1), height: max(size.height - 63, 1)))
                    }
                }
            }
        }
    }
}
#endif

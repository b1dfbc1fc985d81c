import Synchronization

/// The conversions of the profiles used last: making one takes milliseconds, and the photos of a list have few profiles.
/// That a profile is sRGB, or can't be used, is remembered alike.
///
/// - Memory: At most 8 conversions, 0.5 MiB each.
enum ColorConversionCache {
    /// - Returns: `nil` where there is nothing to convert.
    static func conversion(
        _ source: SourceColor, to widest: DecodedImage.ColorSpace, limits: ImageLimits
    ) -> ColorConversion? {
        guard case .profile(let bytes) = source.encoding, bytes.count <= limits.profileByteCount else {
            return ColorConversion.made(SourceColor(model: source.model), to: widest)
        }
        let key = Key(profile: bytes.withUnsafeBytes { Digest(bytes: $0) }, model: source.model, widest: widest)
        if let found = table.withLock({ $0.entry(key) }) { return found.conversion }
        // Outside the lock: two threads may make the same one, which harms nothing.
        let conversion = ColorConversion.made(source, to: widest)
        table.withLock { $0.insert(Entry(key: key, conversion: conversion)) }
        return conversion
    }

    private struct Key: Hashable {
        var profile: Digest
        var model: SourceColor.Model
        var widest: DecodedImage.ColorSpace
    }

    private struct Entry {
        var key: Key
        var conversion: ColorConversion?
    }

    private static let table = Mutex(Table())

    /// In the order of their last use, few enough to look through one by one.
    private struct Table {
        private var entries: [Entry] = []

        mutating func entry(_ key: Key) -> Entry? {
            guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry
        }

        mutating func insert(_ entry: Entry) {
            if entries.count == 8 { entries.removeFirst() }
            entries.append(entry)
        }
    }
}

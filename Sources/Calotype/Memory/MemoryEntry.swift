import Foundation
import Synchronization

/// One rendition that the memory cache holds, or has held: after its eviction the entry stays for a while as a ghost.
///
/// It lives at a fixed address that the cache allocates and frees, so that a hit follows plain pointers and retains
/// nothing but the image.
///
/// Guards: `use` is atomic. The shard's lock guards `image`, `shown`, `freshness` and `next`. The policy's lock guards
/// everything under "Policy". The rest never changes.
struct MemoryEntry: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<MemoryEntry>

    /// Resource and partition.
    let key: Digest
    /// The URL that the pixels came from. Requests for one resource may name several.
    let source: Digest
    /// The processors, or the zero digest.
    let processors: Digest
    /// The size that the image was decoded to, before any processor.
    let decodedSize: PixelSize
    let originalSize: PixelSize
    /// Whether the pixels are of a server-made thumbnail.
    let isThumbnail: Bool
    /// The digest of the bytes that the pixels were made of.
    let version: Digest
    /// When the server said so last, in seconds since the reference date.
    let responseTime: Double
    let resource: Digest
    let partition: Digest?
    /// Bytes.
    let cost: Int

    /// The pixels, while the cache holds them.
    var image: DecodedImage?
    /// The pixels, while anybody does.
    weak var shown: DecodedImage?
    var freshness: Freshness
    /// The next entry of the bucket.
    var next: Pointer?

    /// When it was last used, and how often: see ``Use``.
    let use: Atomic<UInt64>

    // MARK: Policy

    enum Segment: UInt8 { case none, recent, protected, ghost }
    enum Place: UInt8 { case none, shadow, overdue, far, weak }

    var segment = Segment.none
    var place = Place.none
    /// `lastUse` at the time the entry was put into the shadow.
    var mark: UInt64 = 0
    /// Where it is in the heap of recent entries.
    var heapIndex = -1
    var protectedLinks = EntryList.Links()
    var placeLinks = EntryList.Links()

    private init(_ rendition: consuming Rendition, key: Digest, use: Use) {
        self.key = key
        source = rendition.source
        processors = rendition.processors ?? Digest.zero
        decodedSize = rendition.decodedSize
        originalSize = rendition.image.sourcePixelSize
        isThumbnail = rendition.isThumbnail
        version = rendition.version
        responseTime = rendition.responseTime
        resource = rendition.resource
        partition = rendition.partition
        cost = rendition.cost
        image = rendition.image
        freshness = rendition.freshness
        self.use = Atomic(use.bits)
    }
}

/// When an entry was last used, by the cache's own clock, and how often (0 to 3).
struct Use {
    static let hitMaximum: UInt64 = 3
    private(set) var bits: UInt64

    init(bits: UInt64) { self.bits = bits }
    init(lastUse: UInt64, hits: UInt64) { bits = lastUse &<< 2 | min(hits, Self.hitMaximum) }

    var lastUse: UInt64 { bits &>> 2 }
    var hits: UInt64 { bits & 3 }
}

extension MemoryEntry {
    /// Makes one at an address of its own, until it is given to ``destroy(_:)``.
    ///
    /// By `malloc`, since Swift's own pointers ask for an alignment that malloc has anyway, at a hundred instructions.
    static func make(_ rendition: consuming Rendition, key: Digest, lastUse: UInt64) -> Pointer {
        guard let memory = malloc(MemoryLayout<MemoryEntry>.size) else { preconditionFailure("There is no memory.") }
        let entry = memory.bindMemory(to: MemoryEntry.self, capacity: 1)
        entry.initialize(to: MemoryEntry(rendition, key: key, use: Use(lastUse: lastUse, hits: 0)))
        return entry
    }

    static func destroy(_ entry: Pointer) {
        entry.deinitialize(count: 1)
        free(entry)
    }

    var currentUse: Use { Use(bits: use.load(ordering: .relaxed)) }

    /// A hit that comes between reading and writing is lost, which costs no more than a use uncounted.
    func setHits(_ hits: UInt64) {
        use.store(Use(lastUse: currentUse.lastUse, hits: hits).bits, ordering: .relaxed)
    }
}

extension Digest {
    static let zero = Digest(high: 0, low: 0)
}

/// A list of entries that are linked through themselves, oldest first.
struct EntryList {
    struct Links {
        var previous: MemoryEntry.Pointer?
        var next: MemoryEntry.Pointer?
    }

    /// An entry can be in one list of each kind.
    enum Kind { case protected, place }

    private let kind: Kind
    private(set) var first: MemoryEntry.Pointer?
    private var last: MemoryEntry.Pointer?
    private(set) var count = 0

    init(_ kind: Kind) {
        self.kind = kind
    }

    mutating func append(_ entry: MemoryEntry.Pointer) {
        self[entry] = Links(previous: last, next: nil)
        if let last { self[last].next = entry } else { first = entry }
        last = entry
        count += 1
    }

    mutating func remove(_ entry: MemoryEntry.Pointer) {
        let links = self[entry]
        if let previous = links.previous { self[previous].next = links.next } else { first = links.next }
        if let next = links.next { self[next].previous = links.previous } else { last = links.previous }
        count -= 1
    }

    mutating func moveToEnd(_ entry: MemoryEntry.Pointer) {
        remove(entry)
        append(entry)
    }

    private subscript(_ entry: MemoryEntry.Pointer) -> Links {
        get { kind == .protected ? entry.pointee.protectedLinks : entry.pointee.placeLinks }
        nonmutating set {
            if kind == .protected {
                entry.pointee.protectedLinks = newValue
            } else {
                entry.pointee.placeLinks = newValue
            }
        }
    }
}

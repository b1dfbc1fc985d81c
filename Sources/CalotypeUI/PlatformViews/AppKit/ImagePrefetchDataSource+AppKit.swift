#if canImport(AppKit) && !canImport(UIKit)
public import AppKit
public import Calotype
public import Foundation

/// Prefetches what a collection view is about to show.
///
/// ```swift
/// prefetching = ImagePrefetchDataSource { [unowned self] indexPath in
///     [ImageRequest(url: items[indexPath.item].url, size: .points(88, 88))]
/// }
/// collectionView.prefetchDataSource = prefetching
/// ```
///
/// The list keeps no reference to it: the app does. Loads wait behind all that is visible, and are joined by the items that
/// come into view. Those that the list doesn't want any more are stopped; when this is let go, all are.
///
/// - Isolation: main actor.
@MainActor
public final class ImagePrefetchDataSource: NSObject, NSCollectionViewPrefetching {
    private let prefetching: IndexedPrefetching<IndexPath>

    /// Makes a data source.
    ///
    /// - Parameters:
    ///   - pipeline: Does the loading.
    ///   - destination: Memory, or the store alone.
    ///   - requests: What the item at an index path shows, as the item will ask for it: points are the list's. With an
    ///     automatic size only the bytes are loaded, since the layout isn't known yet.
    public init(
        pipeline: ImagePipeline = .shared, to destination: ImagePrefetcher.Destination = .memory,
        requests: @escaping @MainActor (IndexPath) -> [ImageRequest]
    ) {
        prefetching = IndexedPrefetching(pipeline: pipeline, to: destination, requests: requests)
        super.init()
    }

    /// Takes everything back.
    public func stopAll() { prefetching.stopAll() }

    /// See `NSCollectionViewPrefetching`.
    public func collectionView(_ collectionView: NSCollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
        let scale = collectionView.window?.backingScaleFactor ?? NSScreen.main?.backingScaleFactor ?? 2
        prefetching.prefetch(indexPaths, displayScale: Double(scale))
    }

    /// See `NSCollectionViewPrefetching`.
    public func collectionView(
        _ collectionView: NSCollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]
    ) {
        prefetching.cancel(indexPaths)
    }
}
#endif

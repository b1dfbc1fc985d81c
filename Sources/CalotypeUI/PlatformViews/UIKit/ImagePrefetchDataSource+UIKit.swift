#if canImport(UIKit) && !os(watchOS)
public import Calotype
public import Foundation
public import UIKit

/// Prefetches what a collection view or a table view is about to show.
///
/// ```swift
/// prefetching = ImagePrefetchDataSource { [unowned self] indexPath in
///     [ImageRequest(url: items[indexPath.item].url, size: .points(88, 88))]
/// }
/// collectionView.prefetchDataSource = prefetching
/// ```
///
/// The list keeps no reference to it: the app does. Loads wait behind all that is visible, and are joined by the cells that
/// come into view. Those that the list doesn't want any more are stopped; when this is let go, all are.
///
/// - Isolation: main actor.
@MainActor
public final class ImagePrefetchDataSource: NSObject, UICollectionViewDataSourcePrefetching,
    UITableViewDataSourcePrefetching
{
    private let prefetching: IndexedPrefetching<IndexPath>

    /// Makes a data source.
    ///
    /// - Parameters:
    ///   - pipeline: Does the loading.
    ///   - destination: Memory, or the store alone.
    ///   - requests: What the cell at an index path shows, as the cell will ask for it: points are the list's. With an
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

    /// See `UICollectionViewDataSourcePrefetching`.
    public func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
        prefetching.prefetch(indexPaths, displayScale: scale(of: collectionView))
    }

    /// See `UICollectionViewDataSourcePrefetching`.
    public func collectionView(
        _ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]
    ) {
        prefetching.cancel(indexPaths)
    }

    /// See `UITableViewDataSourcePrefetching`.
    public func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
        prefetching.prefetch(indexPaths, displayScale: scale(of: tableView))
    }

    /// See `UITableViewDataSourcePrefetching`.
    public func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]) {
        prefetching.cancel(indexPaths)
    }

    private func scale(of view: UIView) -> Double {
        let scale = view.traitCollection.displayScale
        return scale > 0 ? Double(scale) : 2
    }
}
#endif

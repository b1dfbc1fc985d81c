#if canImport(UIKit)
import Calotype
import CalotypeUI
import Foundation
import UIKit

// The documentation's snippets for UIKit, as an app has them: `make typecheck-apple` compiles them, and nothing runs them on
// Linux.

struct Item {
    let thumbnailURL: URL
    var url: URL { thumbnailURL }
}

extension UIImage {
    static var photo: UIImage? { nil }
}

@MainActor
final class PhotoCell {
    let imageView = UIImageView(frame: .zero)
    let button = UIButton(frame: .zero)
    let retryButton = UIButton(frame: .zero)

    func configure(with item: Item) {
        imageView.setImage(with: item.thumbnailURL, placeholder: .photo, transition: .fade)
    }

    func set(_ url: URL, _ image: UIImage?) {
        imageView.setImage(with: url)
        imageView.setImage(with: url, placeholder: image)
        imageView.setImage(with: url) { [weak self] phase in
            self?.retryButton.isHidden = phase.error == nil
        }
        imageView.retryImageLoad()
        imageView.cancelImageLoad()
        button.setImage(with: url)
        button.setImage(with: ImageRequest(url: url, size: .points(24, 24, .fit)))
        button.setBackgroundImage(with: url)
        button.cancelImageLoad()
    }

    func options(_ url: URL, _ pipeline: ImagePipeline, _ account: Partition) {
        let options = ImageViewOptions(failureImage: .photo, partition: account, pipeline: pipeline)
        imageView.setImage(with: url, placeholder: .photo, options: options)
    }
}

@MainActor
final class PhotoGrid {
    private let collectionView = UICollectionView(frame: .zero, collectionViewLayout: UICollectionViewFlowLayout())
    private var items: [Item] = []
    private var prefetching: ImagePrefetchDataSource?

    func prefetch() {
        prefetching = ImagePrefetchDataSource { [unowned self] indexPath in
            [ImageRequest(url: items[indexPath.item].url, size: .points(88, 88))]
        }
        collectionView.prefetchDataSource = prefetching
    }
}
#endif

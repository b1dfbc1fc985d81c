#if canImport(AppKit) && !canImport(UIKit)
import AppKit
import Calotype
import CalotypeUI
import Foundation

// The documentation's snippets for AppKit: see UIKitSnippets.swift.

struct Item {
    let thumbnailURL: URL
}

@MainActor
final class PhotoItem {
    let imageView = NSImageView(frame: .zero)
    let photo: NSImage? = nil

    func configure(with item: Item) {
        imageView.setImage(with: item.thumbnailURL, placeholder: photo, transition: .fade)
    }
}
#endif

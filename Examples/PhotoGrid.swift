import Calotype
import CalotypeUI
import Foundation
import SwiftUI

/// A photo in two sizes, which the server keeps under two URLs.
struct Photo: Identifiable, Hashable {
    let id: String
    let thumbnailURL: URL
    let fullURL: URL

    /// The same ID for both: each can stand for the other until it is there.
    var thumbnail: ImageRequest { ImageRequest(url: thumbnailURL, id: ResourceID(id)) }
    var full: ImageRequest { ImageRequest(url: fullURL, id: ResourceID(id)) }
}

/// Three columns of squares. A tap opens the photo.
struct PhotoGrid: View {
    let photos: [Photo]

    @State private var opened: Photo?

    private let columns = Array(repeating: GridItem(.flexible(), spacing: 2), count: 3)

    var body: some View {
        if let opened {
            PhotoDetail(photo: opened) { self.opened = nil }
        } else {
            ScrollView {
                LazyVGrid(columns: columns, spacing: 2) {
                    ForEach(photos) { photo in
                        Button {
                            opened = photo
                        } label: {
                            square(photo)
                        }
                        .accessibilityLabel("Open \(photo.id)")
                    }
                }
            }
        }
    }

    /// The overlay is proposed the square's size, and cut off at its edges.
    private func square(_ photo: Photo) -> some View {
        Color.gray.opacity(0.2)
            .aspectRatio(1, contentMode: .fit)
            .overlay {
                CachedAsyncImage(photo.thumbnail) { phase in
                    phase.image?.resizable().scaledToFill()
                }
            }
            .clipped()
    }
}

/// A photo as large as the screen. Its first frame is the thumbnail, if that was shown.
struct PhotoDetail: View {
    let photo: Photo
    let close: @MainActor () -> Void

    var body: some View {
        VStack {
            Button("Close", action: close)
            CachedAsyncImage(photo.full) { phase in
                ZStack {
                    phase.image?.resizable().scaledToFit()
                    if let fraction = phase.progress?.fraction { ProgressView(value: fraction) }
                }
            }
            .frame(maxWidth: .infinity, maxHeight: .infinity)
        }
    }
}

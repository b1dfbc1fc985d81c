import CalotypeUI
import Foundation
import SwiftUI

/// The same feed twice: by `AsyncImage` at the left, by `CachedAsyncImage` at the right. Scroll both, and come back.
struct SideBySide: View {
    let urls: [URL]

    var body: some View {
        HStack(spacing: 0) {
            List(urls, id: \.self) { url in
                AsyncImage(url: url) { image in
                    image.resizable().scaledToFill()
                } placeholder: {
                    ProgressView()
                }
                .frame(height: 88)
                .clipped()
            }
            List(urls, id: \.self) { url in
                CachedAsyncImage(url: url) { image in
                    image.resizable().scaledToFill()
                } placeholder: {
                    ProgressView()
                }
                .frame(height: 88)
                .clipped()
            }
        }
    }
}

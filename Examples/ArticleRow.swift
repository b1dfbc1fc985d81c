import Calotype
import CalotypeUI
import Foundation
import SwiftUI

struct Article: Identifiable, Hashable {
    let id: Int
    let title: String
    let thumbnailURL: URL?
}

/// A thumbnail beside a title. What can't be loaded can be tried again.
struct ArticleRow: View {
    let article: Article

    var body: some View {
        HStack {
            CachedAsyncImage(url: article.thumbnailURL) { image in
                image.resizable().scaledToFill()
            } placeholder: {
                Color.gray.opacity(0.2)
            } failure: { _, retry in
                Button("Retry", action: retry)
            }
            .frame(width: 88, height: 88)
            .clipped()
            Text(article.title)
        }
    }
}

/// Articles, whose thumbnails are on disk before they scroll into view.
struct ArticleList: View {
    let articles: [Article]

    var body: some View {
        List(articles) { article in
            ArticleRow(article: article)
        }
        .prefetchImages(articles.compactMap(\.thumbnailURL), size: .points(88, 88), to: .disk)
    }
}

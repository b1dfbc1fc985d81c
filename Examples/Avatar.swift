import Calotype
import CalotypeUI
import Foundation
import SwiftUI

struct Account: Identifiable, Hashable {
    let id: String
    let avatarURL: URL

    /// Whatever is loaded for this account is kept apart from what is loaded for others.
    var partition: Partition { Partition(id) }
}

/// The picture of whoever is signed in, 100 points wide and round.
struct Avatar: View {
    let account: Account

    var body: some View {
        CachedAsyncImage(url: account.avatarURL) { image in
            image.resizable().scaledToFill()
        } placeholder: {
            Color.gray.opacity(0.2)
        }
        .frame(width: 100, height: 100)
        .clipShape(Circle())
        .remoteImagePartition(account.partition)
    }
}

/// Signing out erases the account's pictures: from the screen, from memory and from the disk.
struct AccountView: View {
    @State private var account: Account?
    @Environment(\.imagePipeline) private var pipeline

    init(account: Account) {
        _account = State(initialValue: account)
    }

    var body: some View {
        VStack {
            if let account {
                Avatar(account: account)
                Button("Sign out") {
                    self.account = nil
                    Task { await pipeline.removePartition(account.partition) }
                }
            } else {
                Text("Signed out")
            }
        }
    }
}

import Foundation

extension SQLiteStore {
    /// When a device lets a store's files be read: Apple's data protection, on iOS, iPadOS, tvOS, watchOS and visionOS.
    /// Elsewhere it means nothing.
    ///
    /// While files can't be read, the store is missed and reported as an event, and loads go to the network; once they can,
    /// it is used again. Nothing of it is taken for damaged.
    ///
    /// - Source: Apple, `FileProtectionType`.
    public enum FileProtection: Sendable, Hashable, CaseIterable {
        /// At any time.
        case none
        /// Once the user has unlocked the device for the first time since it was started.
        case completeUntilFirstUserAuthentication
        /// While the device is unlocked, and for files that are open then.
        case completeUnlessOpen
        /// While the device is unlocked. The store closes its index when the device is locked.
        case complete

        /// Whether files may become unreadable while the app runs.
        var endsWithLock: Bool { self == .complete || self == .completeUnlessOpen }
    }
}

extension FileCalls {
    /// Has the system protect a folder, and so what will be made in it, or a file.
    ///
    /// - Returns: As the system's calls.
    static func protect(_ path: String, _ protection: SQLiteStore.FileProtection) -> Int32 {
        #if canImport(Darwin) && !os(macOS)
        let type: FileProtectionType =
            switch protection {
            case .none: .none
            case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
            case .completeUnlessOpen: .completeUnlessOpen
            case .complete: .complete
            }
        do {
            try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: path)
            return 0
        } catch {
            errno = EPERM
            return -1
        }
        #else
        return 0
        #endif
    }
}

extension SQLiteStore: AppEventResponder {
    /// Writes what waits before the app is suspended, and lets go of files that can't be read any more.
    func respond(to event: AppEvent) async {
        switch event {
        case .enteredBackground:
            await writer.writeUses()
        case .protectedDataWillBecomeUnavailable:
            guard options.fileProtection.endsWithLock else { return }
            await writer.writeUses()
            await writer.rest()
            await closeReaders()
        }
    }
}

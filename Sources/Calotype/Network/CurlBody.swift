#if os(Linux)
import Foundation

/// The reader's end of an exchange. Letting go of it before the body has ended closes the exchange.
final class CurlBody: HTTPBodySource {
    private let transfer: CurlTransfer

    init(_ transfer: CurlTransfer) { self.transfer = transfer }

    deinit { transfer.cancel() }

    func next() async throws -> Data? {
        // A reader that always finds bytes would never wait, and so never see that it was cancelled.
        if Task.isCancelled { transfer.cancel() }
        switch transfer.read() {
        case .bytes(let bytes): return bytes
        case .ended(let result): return try result.get()
        case .nothingYet: break
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { transfer.read($0) }
        } onCancel: {
            transfer.cancel()
        }
    }
}
#endif

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPLoader {
    /// Has the app's closure sign a request. After a 401 the closure sees the request that was refused.
    ///
    /// It is changed in place: a second request would take room in the frame of every load.
    @inline(never)
    func authorize(_ request: inout HTTPRequest) async throws {
        guard let authorize = configuration.authorize else { return }
        var plain = URLRequest(url: request.url)
        plain.httpMethod = request.method
        plain.httpBody = request.body
        for field in request.fields { plain.setValue(field.value, forHTTPHeaderField: field.name) }
        let signed: URLRequest
        do {
            signed = try await authorize(plain)
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            throw ImageError(.authorization, .authorizationFailed, underlying: error)
        }
        if let url = signed.url { request.url = url }
        for (name, value) in signed.allHTTPHeaderFields ?? [:] { request.fields[name] = value }
    }
}

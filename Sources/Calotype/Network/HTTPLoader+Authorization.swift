import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPLoader {
    /// The request as the app's closure signs it. After a 401 the closure sees the request that was refused.
    func authorized(_ request: HTTPRequest) async throws -> HTTPRequest {
        guard let authorize = configuration.authorize else { return request }
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
        var result = request
        if let url = signed.url { result.url = url }
        for (name, value) in signed.allHTTPHeaderFields ?? [:] { result.fields[name] = value }
        return result
    }
}

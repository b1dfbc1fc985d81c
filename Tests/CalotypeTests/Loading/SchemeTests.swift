import Foundation
import Testing

@testable import Calotype

@Suite("The scheme decides who brings the bytes")
struct SchemeTests {
    @Test(
        "http and https are HTTP, whatever their case",
        arguments: ["http://a", "https://a", "HTTP://a", "hTTpS://a", "http:", "https:", "HTTPS:"])
    func http(text: String) throws {
        #expect(try #require(URL(string: text)).isHTTP)
    }

    @Test(
        "nothing else is, however it begins",
        arguments: [
            "http", "https", "h", "htt:", "httpx://a", "httpss://a", "http+unix://a", "http2:", "shttp://a", "ftp://a",
            "file:///http:", "data:,http:", "/http:", "https/a:b",
        ])
    func others(text: String) throws {
        #expect(try !#require(URL(string: text)).isHTTP)
    }

    @Test("a relative URL has the scheme of its base")
    func relative() throws {
        let base = try #require(URL(string: "HTTPS://img.example.com/"))
        #expect(try #require(URL(string: "a", relativeTo: base)).isHTTP)
        #expect(try !#require(URL(string: "a", relativeTo: URL(filePath: "/"))).isHTTP)
    }
}

package import Foundation

extension HTTPCache.StoredHead {
    /// The head as bytes, with those of the response's fields alone that a load asks a stored response for.
    ///
    /// Nothing else that a server says is written: it may be a credential (Set-Cookie, Authentication-Info), tell one visitor
    /// from the others (NEL, Report-To, a request's number), or hold a URL with a signature (Content-Location, Link). Who
    /// passes stored responses on to others has to keep these (RFC 9111 section 3.1); a load gives out pictures alone.
    package func encodedForImages() -> Data { encoded(keeping: Self.isOfUse) }

    /// Told by its length first: every field is asked.
    private static func isOfUse(_ name: String) -> Bool {
        func isName(_ other: String) -> Bool { name.equalsIgnoringASCIICase(other) }
        return switch name.utf8.count {
        case 3: isName("Age")
        case 4: isName("Date") || isName("ETag") || isName("Vary")
        case 6: isName("Pragma")
        case 7: isName("Expires")
        case 12: isName("Content-Type")
        case 13: isName("Cache-Control") || isName("Last-Modified")
        default: false
        }
    }
}

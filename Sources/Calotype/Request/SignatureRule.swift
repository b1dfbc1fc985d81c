/// Which query items are a signature, and so no part of what a URL names.
///
/// A family counts only when it is complete: `Signature` or `token` alone may well select a picture.
public struct SignatureRule: Sendable, Hashable {
    /// The query items of one signing scheme. Names compare with case.
    public struct Family: Sendable, Hashable {
        /// The items without which there is no such signature.
        public var required: [String]
        /// Items that belong to it when all the required ones are there.
        public var optional: [String]

        /// Makes a family.
        public init(required: [String], optional: [String] = []) {
            self.required = required
            self.optional = optional
        }

        /// The item that is looked for first: it is long or rare, so most queries are done with quickly.
        var mark: String { required.first ?? "" }
    }

    /// The families that are looked for.
    public let families: [Family]

    /// Which lengths the marks have: bit n for n bytes. Most queries have no item of such a length, and are done with.
    let markLengths: UInt64

    /// Whether it is the rule that requests' own digests are made by.
    let isKnown: Bool

    /// Makes a rule.
    public init(_ families: [Family]) {
        self.init(families, isKnown: false)
    }

    private init(_ families: [Family], isKnown: Bool) {
        self.families = families
        self.isKnown = isKnown
        markLengths = families.reduce(0) { $0 | 1 << UInt64($1.mark.utf8.count) }
    }

    /// Every query item counts.
    public static let none = SignatureRule([])

    /// Amazon S3 (Signature Version 4), Google Cloud Storage (V4), CloudFront (canned and custom policy) and Azure
    /// Storage (service, account and user delegation SAS), by their documentation.
    public static let known = SignatureRule(
        [
            Family(
                required: ["X-Amz-Signature", "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date"],
                optional: [
                    "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Security-Token", "X-Amz-Content-Sha256",
                    "X-Amz-User-Agent", "X-Amz-S3session-Token",
                ]),
            Family(
                required: ["X-Goog-Signature", "X-Goog-Algorithm", "X-Goog-Credential", "X-Goog-Date"],
                optional: ["X-Goog-Expires", "X-Goog-SignedHeaders"]),
            Family(required: ["Key-Pair-Id", "Signature", "Expires"]),
            Family(required: ["Key-Pair-Id", "Signature", "Policy"]),
            Family(required: ["sig", "sv", "se"], optional: azure),
            Family(required: ["sig", "sv", "si"], optional: azure),
        ], isKnown: true)

    private static let azure = [
        "sr", "ss", "srt", "sp", "st", "se", "si", "sip", "spr", "sdd", "ses", "skoid", "sktid", "skt", "ske", "sks",
        "skv", "saoid", "suoid", "scid",
    ]
}

/// A dump of a pipeline, of what it is made of, or of what belongs to it would go through everything that they hold: URLs,
/// credentials, names of accounts, bytes. So it ends at the objects themselves, which `print` names by their types.

extension Mirror {
    /// Nothing of what an object holds.
    fileprivate init(opaque object: some AnyObject) {
        self.init(object, children: [:], displayStyle: .class)
    }
}

extension ImagePipeline: CustomReflectable {
    /// Nothing: what it holds may be private.
    public var customMirror: Mirror { Mirror(opaque: self) }
}

extension RemoteImageModel: CustomReflectable {
    /// Nothing: what it holds may be private.
    public nonisolated var customMirror: Mirror { Mirror(opaque: self) }
}

extension ImagePrefetcher: CustomReflectable {
    /// Nothing: what it holds may be private.
    public var customMirror: Mirror { Mirror(opaque: self) }
}

extension MemoryCache: CustomReflectable {
    /// Nothing: what it holds may be private.
    public var customMirror: Mirror { Mirror(opaque: self) }
}

extension ImpressionTable: CustomReflectable {
    /// Nothing: what it holds may be private.
    public var customMirror: Mirror { Mirror(opaque: self) }
}

extension MemoryStore: CustomReflectable {
    /// Nothing: what it holds may be private.
    public var customMirror: Mirror { Mirror(opaque: self) }
}

extension SQLiteStore: CustomReflectable {
    /// Nothing: what it holds may be private.
    public var customMirror: Mirror { Mirror(opaque: self) }
}

extension URLCacheStore: CustomReflectable {
    /// Nothing: what it holds may be private.
    public var customMirror: Mirror { Mirror(opaque: self) }
}

extension URLSessionTransport: CustomReflectable {
    /// Nothing: what it holds may be private.
    public var customMirror: Mirror { Mirror(opaque: self) }
}

#if os(Linux)
extension CurlTransport: CustomReflectable {
    /// Nothing: what it holds may be private.
    public var customMirror: Mirror { Mirror(opaque: self) }
}
#endif

extension PipelineRecorder: CustomReflectable {
    /// Nothing: what it holds may be private.
    public var customMirror: Mirror { Mirror(opaque: self) }
}

extension ImagePipeline.Configuration: CustomStringConvertible, CustomReflectable {
    /// Redacted: the kinds of its parts, and the names of the fields.
    public var description: String {
        var parts = ["transport \(type(of: transport))", "store \(store.map { "\(type(of: $0))" } ?? "none")"]
        if !fields.isEmpty { parts.append("fields \(fields)") }
        if let serverThumbnails { parts.append("thumbnails by \(serverThumbnails.server)") }
        if authorize != nil { parts.append("requests are signed") }
        return parts.joined(separator: ", ")
    }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

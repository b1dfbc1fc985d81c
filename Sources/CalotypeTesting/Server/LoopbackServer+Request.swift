public import Calotype
public import Foundation

extension LoopbackServer {
    /// A request as it came over the wire.
    public struct Request: Sendable, Hashable, CustomStringConvertible {
        /// The method, as sent.
        public var method: String
        /// The path as sent, percent-encoding and all, without the query.
        public var path: String
        /// What follows the question mark, as sent; `nil` if there is none.
        public var query: String?
        /// The field lines, in their order and with their casing.
        public var fields: HTTPFields
        /// The body, with its transfer coding removed.
        public var body: Data
        /// The connection that it came on. Connections count from 1.
        public var connectionID: Int
        /// Its place among all requests of this server, counted from 1.
        public var number: Int

        /// Makes a request: for tests of a handler of one's own.
        public init(
            method: String = "GET", path: String, query: String? = nil, fields: HTTPFields = .init(),
            body: Data = Data(), connectionID: Int = 1, number: Int = 1
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.fields = fields
            self.body = body
            self.connectionID = connectionID
            self.number = number
        }

        /// "GET /cat.png?w=2", for messages.
        public var description: String { "\(method) \(path)\(query.map { "?\($0)" } ?? "")" }
    }

    /// Something that happened to a connection, by its number.
    public enum ConnectionEvent: Sendable, Hashable {
        /// A client has connected.
        case opened(Int)
        /// The client has closed it, or it broke.
        case closedByClient(Int)
        /// A script, a protocol error or ``LoopbackServer/stop()`` has closed it.
        case closedByServer(Int)

        /// The connection's number.
        public var connectionID: Int {
            switch self {
            case .opened(let id), .closedByClient(let id), .closedByServer(let id): id
            }
        }
    }
}

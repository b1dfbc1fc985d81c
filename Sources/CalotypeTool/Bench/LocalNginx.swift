#if os(Linux)
import Foundation

/// An nginx on 127.0.0.1 that serves one file.
enum LocalNginx {
    /// Serves a file, whatever the query, while `body` runs.
    ///
    /// - Throws: ``BenchError`` if there is no nginx or it doesn't start; what `body` throws.
    static func serving<Result: Sendable>(
        _ file: Data, in context: BenchContext, _ body: (URL) async throws -> Result
    ) async throws -> Result {
        guard let nginx = ChildProcess.find("nginx") else {
            throw BenchError("There is no nginx to ask: run scripts/setup.sh bench.")
        }
        let folder = context.folder.appending(path: "nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try file.write(to: folder.appending(path: "body.jpg"))
        let port = try freePort()
        let path = folder.path(percentEncoded: false)
        let settings = folder.appending(path: "nginx.conf")
        try Data(configuration(port: port, folder: path).utf8).write(to: settings)

        // The shell ends nginx when its standard input ends: also when this process is killed.
        let process = Process()
        let leash = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", "\"$@\" & child=$!; read -r _; kill -KILL $child; wait $child", "sh", nginx,
            "-e", "\(path)/error.log", "-p", path, "-c", settings.path(percentEncoded: false),
        ]
        process.standardInput = leash
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try ChildProcess.start(process)
        defer {
            try? leash.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        try await waitUntilListening(port, log: folder.appending(path: "error.log"))
        guard let url = URL(string: "http://127.0.0.1:\(port)/body.jpg") else { throw BenchError("No URL.") }
        return try await body(url)
    }

    /// One process, in the foreground, that writes nowhere else than into the folder.
    private static func configuration(port: UInt16, folder: String) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "    \($0)_temp_path \($0);" }.joined(separator: "\n")
        return """
            daemon off;
            master_process off;
            pid nginx.pid;
            events { worker_connections 1024; }
            http {
                access_log off;
                sendfile on;
                tcp_nopush on;
                keepalive_requests 100000000;
                keepalive_timeout 600;
                types { image/jpeg jpg; }
            \(temporary)
                server { listen 127.0.0.1:\(port); root \(folder); }
            }
            """
    }

    /// A port that nobody had a moment ago.
    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw BenchError("There is no free port on 127.0.0.1.") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func waitUntilListening(_ port: UInt16, log: URL) async throws {
        for _ in 0..<250 {
            if isListening(port) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        let log = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        throw BenchError("nginx doesn't start: \(log.split(separator: "\n").last ?? "it says nothing").")
    }

    private static func isListening(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = address(port: port)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
#endif

import Foundation

/// What the system says of this process's memory.
enum ProcessMemory {
    /// The most that was resident at once so far, in bytes.
    static var peakByteCount: Int {
        #if os(Linux)
        // Not what getrusage says: that begins with the memory of the process that started this one.
        return byteCount(of: "VmHWM:")
        #else
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        return Int(usage.ru_maxrss)
        #endif
    }

    /// Lets ``peakByteCount`` begin anew.
    ///
    /// - Returns: Whether the system can do that: Linux can.
    static func resetPeak() -> Bool {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return write(descriptor, "5", 1) == 1
    }

    /// What is resident now, in bytes. Linux has it; elsewhere it is 0.
    static var residentByteCount: Int { byteCount(of: "VmRSS:") }

    /// A line of the process's status, which has kilobytes; 0 where there is no such file.
    private static func byteCount(of name: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
    }
}

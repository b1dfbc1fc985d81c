import Foundation
import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// What other threads ask of the server's thread, and the pipe that wakes it.
///
/// - Isolation: Any thread posts; the server's thread takes.
/// - Owns: the pipe, until the last of the two has let go.
final class ServerMailbox: Sendable {
    enum Command: Sendable {
        /// Go on after a gate.
        case resume(connectionID: Int, ticket: Int)
        case closeConnections(resets: Bool)
        case stop
    }

    /// Readable while there may be something to take.
    let descriptor: Int32
    private let writer: Int32
    private let commands = Mutex<[Command]>([])

    init() throws(LoopbackServer.StartError) {
        var ends: [Int32] = [0, 0]
        if pipe(&ends) != 0 { throw LoopbackServer.StartError(call: "pipe", errno: errno) }
        (descriptor, writer) = (ends[0], ends[1])
        Socket.prepare(descriptor)
        Socket.prepare(writer)
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    func post(_ command: Command) {
        let wasEmpty = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        // The one who filled the mailbox has woken the thread.
        guard wasEmpty else { return }
        var byte: UInt8 = 0
        _ = write(writer, &byte, 1)
    }

    func take() -> [Command] {
        // The pipe first: a command that comes in between wakes the thread once more, for nothing at worst.
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = read(descriptor, &bytes, 16)
        return commands.withLock { commands in
            defer { commands.removeAll() }
            return commands
        }
    }
}

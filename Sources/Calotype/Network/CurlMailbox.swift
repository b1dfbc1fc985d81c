#if os(Linux)
import CCurl
import Glibc
import Synchronization

/// What any thread asks of the thread that runs libcurl.
enum CurlCommand: Sendable {
    /// Runs the transfer when its turn comes.
    case start(CurlTransfer)
    /// The reader has taken the bytes of a paused transfer: let more come.
    case resume(CurlTransfer)
    /// Nobody wants the transfer any more.
    case cancel(CurlTransfer)
    /// The transfer's priority is another. The transfer may be gone, and a new one have its identifier: that one is
    /// then put where it stands already.
    case reprioritize(ObjectIdentifier)
    /// Says how much there is of everything.
    case count(CheckedContinuation<CurlCounts, Never>)
    /// Fails what runs and ends the thread. The continuation is resumed once nothing of it is left.
    case shutDown(CheckedContinuation<Void, Never>?)
}

/// The way to the thread that runs libcurl: a list of commands, and a descriptor that ends the thread's sleep.
///
/// The descriptor is written only when the thread sleeps or is about to, so a burst of commands costs one system call.
/// It is an eventfd of our own rather than `curl_multi_wakeup`: it outlives the multi handle, so nothing has to keep a
/// caller from waking a loop that is closing.
///
/// - Isolation: any thread.
/// - Owns: the descriptor, which closes with it.
final class CurlMailbox: Sendable {
    private struct State {
        var commands: [CurlCommand] = []
        var isAsleep = false
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Readable when the thread should wake; -1 if there was no descriptor to be had.
    let descriptor: Int32

    init() { descriptor = calotype_event_open() }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Adds a command after the others.
    /// - Returns: Whether it will be carried out; `false` after ``close()``.
    @discardableResult func post(_ command: CurlCommand) -> Bool {
        let (isAccepted, wakes) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            // Who sees the sleeper wakes it; later ones find it awake.
            defer { state.isAsleep = false }
            return (true, state.isAsleep)
        }
        if wakes { calotype_event_signal(descriptor) }
        return isAccepted
    }

    /// Moves the commands to `commands`, which is empty and whose storage is used again.
    func take(into commands: inout [CurlCommand]) {
        state.withLock { state in
            state.isAsleep = false
            swap(&commands, &state.commands)
        }
    }

    /// Announces that the thread will poll. From here on the next command writes to the descriptor.
    /// - Returns: `false` if there are commands, so that polling is to be put off.
    func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.commands.isEmpty
            return state.isAsleep
        }
    }

    /// Refuses commands from now on.
    /// - Returns: Those that were not taken.
    func close() -> [CurlCommand] {
        state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}

/// How much a transport has of everything, for tests and diagnostics.
package struct CurlCounts: Sendable, Hashable {
    /// Transfers that libcurl works on.
    package var running: Int
    /// Transfers whose turn has not come.
    package var waiting: Int
    /// Easy handles kept for later transfers.
    package var idleHandles: Int

    package init(running: Int, waiting: Int, idleHandles: Int) {
        self.running = running
        self.waiting = waiting
        self.idleHandles = idleHandles
    }
}
#endif

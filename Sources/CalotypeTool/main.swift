import Foundation

Console.prepare()
// A run whose instructions are counted keeps the main thread to itself: valgrind can't end a process in which that
// thread serves the main queue.
if let code = Command.measuredRun(Tool.commandLine) { exit(code.rawValue) }
// Not exit: that takes down OpenSSL and others while a thread of the transport may still be closing its connections.
// Nothing is left to be written: see `Console`.
_exit(await Tool.run(Tool.commandLine).rawValue)

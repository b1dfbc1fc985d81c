import Foundation

// A run whose instructions are counted keeps the main thread to itself: valgrind can't end a process in which that
// thread serves the main queue.
if let code = Command.measuredRun(Tool.commandLine) { exit(code.rawValue) }
exit(await Tool.run(Tool.commandLine).rawValue)

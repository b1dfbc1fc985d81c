import Foundation

exit(await Tool.run(Tool.commandLine).rawValue)

import Foundation

exit(Scenario.run(Array(CommandLine.arguments.dropFirst())))

import Agent
import Foundation

StandardDescriptors.occupy()
// A reader of our output that goes away ends us by a failed write, not by a signal.
signal(SIGPIPE, SIG_IGN)
exit(CommandLineTool.run(unsafeArguments: CommandLine.unsafeArgv, count: Int(CommandLine.argc)))

import Foundation

// A reader of our output that goes away ends us by a failed write, not by a signal.
signal(SIGPIPE, SIG_IGN)
exit(CommandLineTool.run(Array(CommandLine.arguments.dropFirst())))

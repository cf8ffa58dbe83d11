import Foundation

/// The command line was not understood.
struct Usage: Error {}

/// Writes one line at once, so that it is there even if the process is killed right after.
func say(_ line: String, to file: FileHandle = .standardOutput) {
    file.write(Data((line + "\n").utf8))
}

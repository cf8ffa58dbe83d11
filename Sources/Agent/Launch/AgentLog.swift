import Foundation

/// Lines for whoever looks after the agent, on standard error: journal, terminal, or the log file.
enum AgentLog {
    /// A log file beyond this is set aside as `….1` when the next agent starts.
    static let rotationSize: off_t = 8 << 20

    /// One line, one `write`: lines of several threads don't mix.
    static func write(_ message: String) {
        var time = time(nil)
        var parts = tm()
        gmtime_r(&time, &parts)
        var stamp = [CChar](repeating: 0, count: 32)
        let count = strftime(&stamp, stamp.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        let text = String(decoding: stamp.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let line = Array("\(text) reeve[\(getpid())] \(PlainText.spelled(message.replacing("\n", with: " ")))\n".utf8)
        _ = Foundation.write(2, line, line.count)
    }

    /// Opens the file for appending, 0600, and sets a long one aside first. Returns a descriptor, or -1 with errno.
    static func open(_ path: String) -> Int32 {
        var status = stat()
        if lstat(path, &status) == 0, status.st_size > rotationSize { rename(path, path + ".1") }
        return Foundation.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
}

import CPlatform
import Foundation

/// Takes what the library has to say while it runs.
///
/// ```swift
/// Logger.shared = Logger(level: .debug) { level, message in appLog.write("\(level) \(message)") }
/// ```
public final class Logger: Sendable {
    private static let process = Lock(
        Logger(level: .info) { _, message in
            let line = Array("RealmSwift: \(message)\n".utf8)
            reeve_say(STDERR_FILENO, line, line.count)
        })

    /// The logger of the process. In the beginning it writes warnings and the like to standard error.
    public static var shared: Logger {
        get { process.withLock { $0 } }
        set {
            // The former one may own much, which must not be let go under the lock.
            let former = process.withLock { logger in
                defer { logger = newValue }
                return logger
            }
            withExtendedLifetime(former) {}
        }
    }

    private let threshold: Lock<LogLevel>
    private let logFunction: @Sendable (LogLevel, String) -> Void

    /// - Parameters:
    ///   - level: up to which lines are wanted; `off` for none.
    ///   - logFunction: is called with each line, on any thread.
    public init(level: LogLevel, logFunction: @escaping @Sendable (LogLevel, String) -> Void) {
        threshold = Lock(level)
        self.logFunction = logFunction
    }

    /// Up to which level lines are wanted. A change holds at once.
    public var level: LogLevel {
        get { threshold.withLock { $0 } }
        set { threshold.withLock { $0 = newValue } }
    }

    /// Logs a line, which is made only if it is wanted.
    func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
        if level != .off, level <= self.level { logFunction(level, message()) }
    }
}

/// Logs a warning.
func warn(_ text: String) {
    Logger.shared.log(.warn, text)
}

/// How much is logged: lines of a level and of all below it.
public enum LogLevel: UInt, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    case off = 0
    /// The program can't go on.
    case fatal
    /// Something failed.
    case error
    /// Something is not as it should be, and was coped with.
    case warn
    /// What happens rarely.
    case info
    case detail
    /// What each transaction does.
    case debug
    case trace
    case all

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "LogLevel(rawValue: \(rawValue))" }
}

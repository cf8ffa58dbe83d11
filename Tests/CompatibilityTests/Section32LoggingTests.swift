import Foundation
import RealmSwift
import TestSupport
import Testing

/// Section 32: the logger of the process.
@Suite("Section 32: logging", .serialized)
struct Section32LoggingTests {
    private final class Lines: @unchecked Sendable {
        // Only used under `lock`.
        private let lock = NSLock()
        private var lines: [(LogLevel, String)] = []

        func add(_ level: LogLevel, _ line: String) { lock.withLock { lines.append((level, line)) } }
        func contains(_ level: LogLevel, _ text: String) -> Bool {
            lock.withLock { lines.contains { $0.0 == level && $0.1.contains(text) } }
        }
        var count: Int { lock.withLock { lines.count } }
    }

    @Test("LO-01, LO-03: a commit is told at the level debug, and nothing at off") func levels() throws {
        let former = Logger.shared
        defer { Logger.shared = former }
        let lines = Lines()
        Logger.shared = Logger(level: .debug) { lines.add($0, $1) }
        let shelter = Shelter()
        let realm = try shelter.filled()
        #expect(lines.contains(.debug, "shelter.realm"))
        Logger.shared.level = .off
        #expect(Logger.shared.level == .off)
        let count = lines.count
        try realm.write { realm.deleteAll() }
        #expect(lines.count == count)
    }

    @Test("LO-02: levels and their raw values") func rawValues() {
        #expect(LogLevel.allCases.map(\.rawValue) == Array(0...8))
        #expect("\(LogLevel.trace)".contains("rawValue: 7") && "\(LogLevel.debug)".contains("rawValue: 6"))
        #expect(LogLevel.warn < .info && LogLevel.off.rawValue == 0 && LogLevel.all.rawValue == 8)
    }
}

import CPlatform
import Foundation

/// One line of the server's log: what happened, and the facts.
///
/// Tokens, passwords, keys and objects' values never become facts; partition values and user ids may.
package struct LogLine: Hashable, Sendable {
    package enum Level: String, Hashable, Sendable { case debug, info, warning, error }

    package var level: Level
    /// A name that stays, such as `sync.connected`.
    package var event: String
    package var facts: [Fact]

    package struct Fact: Hashable, Sendable {
        package var name: String
        package var value: String
    }

    package init(_ level: Level, _ event: String, _ facts: KeyValuePairs<String, String> = [:]) {
        self.level = level
        self.event = event
        self.facts = facts.map { Fact(name: $0.key, value: $0.value) }
    }

    /// Characters of one fact; peers decide what some of them hold.
    private static let factLimit = 512

    /// `level=info event=sync.connected user=…`: values with anything but plain characters in quotes.
    package var text: String {
        var text = "level=\(level.rawValue) event=\(event)"
        for fact in facts { text += " \(fact.name)=\(Self.quoted(fact.value))" }
        return text
    }

    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C && $0 != 0x3D }
        if isPlain, value.utf8.count <= factLimit { return value }
        var text = "\""
        for scalar in value.unicodeScalars.prefix(factLimit) {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case _
            where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x2028
                || scalar.value == 0x2029:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

/// Where lines of the log go.
package struct ServerLog: Sendable {
    package var write: @Sendable (LogLine) -> Void

    package init(_ write: @escaping @Sendable (LogLine) -> Void) {
        self.write = write
    }

    /// Nowhere.
    package static let silent = ServerLog { _ in }

    /// Standard error, each line after its time in UTC.
    package static func standardError(from level: LogLine.Level = .info) -> ServerLog {
        let order: [LogLine.Level] = [.debug, .info, .warning, .error]
        let levels = Set(order.drop { $0 != level })
        return ServerLog { line in
            guard levels.contains(line.level) else { return }
            let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            let text = Array("time=\(time) \(line.text)\n".utf8)
            reeve_say(STDERR_FILENO, text, text.count)
        }
    }

    package func info(_ event: String, _ facts: KeyValuePairs<String, String> = [:]) {
        write(LogLine(.info, event, facts))
    }

    package func warning(_ event: String, _ facts: KeyValuePairs<String, String> = [:]) {
        write(LogLine(.warning, event, facts))
    }

    package func error(_ event: String, _ facts: KeyValuePairs<String, String> = [:]) {
        write(LogLine(.error, event, facts))
    }
}

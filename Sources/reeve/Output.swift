import Agent
import Foundation

/// What goes to the terminal, or to whoever reads it instead.
enum Output {
    /// Whether standard output is a terminal that may show colours.
    static let hasColour =
        isatty(1) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// A line; what a terminal would take for a command is spelled out, so it may contain anything.
    static func line(_ text: String) {
        write(PlainText.spelled(text) + "\n", to: 1)
    }

    /// A line that begins with emphasised text, on a terminal.
    static func line(emphasising start: String, _ rest: String = "") {
        let start = PlainText.spelled(start)
        write((hasColour ? "\u{1B}[1m\(start)\u{1B}[0m" : start) + PlainText.spelled(rest) + "\n", to: 1)
    }

    enum Colour: Int {
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// A line that begins with coloured text, on a terminal.
    static func line(colouring start: String, _ colour: Colour, _ rest: String) {
        let start = PlainText.spelled(start)
        let shown = hasColour ? "\u{1B}[\(colour.rawValue)m\(start)\u{1B}[0m" : start
        write(shown + PlainText.spelled(rest) + "\n", to: 1)
    }

    static func error(_ text: String) {
        write(PlainText.spelled(text) + "\n", to: 2)
    }

    /// Text that must stay on its line.
    static func oneLine(_ text: String) -> String {
        PlainText.spelled(text.replacingOccurrences(of: "\n", with: "⏎"))
    }

    /// One JSON document on a line of its own.
    static func json(_ object: Any) {
        line(jsonText(object))
    }

    static func jsonText(_ object: Any) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed]
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else {
            preconditionFailure("not representable as JSON: \(object)")
        }
        return PlainText.escaped(json: String(decoding: data, as: UTF8.self))
    }

    /// Rows under a header, columns aligned; cells are cut at `limit` characters.
    static func table(_ header: [String], _ rows: [[String]], limit: Int = 40) {
        func cut(_ text: String) -> String {
            let line = oneLine(text)
            return line.count > limit ? line.prefix(limit - 1) + "…" : line
        }
        let header = header.map(oneLine)
        let cells = rows.map { $0.map(cut) }
        let widths = header.indices.map { column in
            max(header[column].count, cells.map { $0[column].count }.max() ?? 0)
        }
        func padded(_ row: [String]) -> String {
            row.enumerated().map { index, cell in
                index == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
            }.joined(separator: "  ")
        }
        line(emphasising: padded(header))
        for row in cells { line(padded(row)) }
    }

    /// 1536 → "1.5 KB".
    static func size(_ bytes: Int64) -> String {
        let units = ["B", "KB", "MB", "GB", "TB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return unit == 0 ? "\(bytes) B" : String(format: "%.1f %@", value, units[unit])
    }

    /// 93000 → "1m 33s".
    static func duration(milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        switch seconds {
        case ..<1: return "\(milliseconds)ms"
        case ..<60: return "\(seconds)s"
        case ..<3600: return "\(seconds / 60)m \(seconds % 60)s"
        case ..<86400: return "\(seconds / 3600)h \(seconds % 3600 / 60)m"
        default: return "\(seconds / 86400)d \(seconds % 86400 / 3600)h"
        }
    }

    /// Exit status when the output can't be written.
    static let failureStatus: Int32 = 3

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                // Where nothing can be said, the exit status has to do.
                guard descriptor != 2 else { return }
                // Nobody reads any more (`reeve export … | head`): nothing left to do.
                if errno == EPIPE { exit(0) }
                let reason = String(cString: strerror(errno))
                // The line of progress is there yet.
                if isatty(2) == 1 { write("\r\u{1B}[K", to: 2) }
                error("reeve: can't write the output: \(reason)")
                exit(failureStatus)
            }
            bytes = bytes.dropFirst(written)
        }
    }
}

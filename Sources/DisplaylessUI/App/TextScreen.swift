import Dispatch
import Foundation

/// Shows windows on a terminal, line by line, and takes a line at a time of what to do:
///
/// ```
/// 2            press what has the number 2
/// 1 milk       type "milk" into the field number 1
/// - 3          delete the row number 3
/// w 2          go to the second window
/// q            end
/// ```
@MainActor
final class TextScreen {
    private let windows: [ViewHost]
    private var front = 0
    private var shown: [String] = []
    private var rows: [ViewElement] = []
    private var controls: [ViewElement] = []
    private var pending = Data()

    init(_ windows: [AnyView]) {
        self.windows = windows.map { ViewHost($0) }
    }

    func run() {
        for window in windows { window.onUpdate = { [weak self] in self?.show() } }
        show()
        let input = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .main)
        input.setEventHandler { MainActor.assumeIsolated { self.read() } }
        input.resume()
        withExtendedLifetime(input) { RunLoop.main.run() }
    }

    // MARK: Showing

    private func show() {
        guard windows.indices.contains(front) else { return }
        controls = []
        rows = []
        var lines: [String] = []
        let elements = windows[front].elements
        // What is presented is all there is to see.
        if let top = elements.flatMap(\.all).last(where: { $0.kind == .presented }) {
            lines = self.lines(top.children, 0)
        } else {
            lines = self.lines(elements, 0)
        }
        guard lines != shown else { return }
        shown = lines
        let title = windows.count > 1 ? "── window \(front + 1) of \(windows.count) ──" : "──"
        FileHandle.standardOutput.write(Data(([title] + lines).map { $0 + "\n" }.joined().utf8))
    }

    private func lines(_ elements: [ViewElement], _ depth: Int) -> [String] {
        elements.flatMap { element -> [String] in
            let indent = String(repeating: "  ", count: depth)
            switch element.kind {
            case .presented: return []
            case .row:
                rows.append(element)
                let number = rows.count
                let inner = lines(element.children, 0)
                let mark = element.delete == nil ? "·" : "\(number))"
                return [indent + mark + " " + inner.joined(separator: "  ")]
            case .stack:
                let inner = lines(element.children, 0)
                return inner.isEmpty ? [] : [indent + inner.joined(separator: "  ")]
            case .list, .navigation: return lines(element.children, depth)
            case .section:
                let title = element.label.isEmpty ? [] : [indent + element.label]
                return title + lines(element.children, depth + 1)
            default: return [indent + line(element)]
            }
        }
    }

    private func line(_ element: ViewElement) -> String {
        switch element.kind {
        case .button: return "[\(number(element)) \(element.label)]"
        case .toggle: return "[\(number(element)) \(element.value == "true" ? "x" : " ") \(element.label)]"
        case .textField: return "[\(number(element)) \(element.label): \(element.value)]"
        case .progress:
            let percent = Double(element.value).map { " \(Int($0 * 100)) %" } ?? ""
            return element.label + "…" + percent
        default: return element.label
        }
    }

    private func number(_ element: ViewElement) -> String {
        guard element.isEnabled else { return "-" }
        controls.append(element)
        return "\(controls.count)"
    }

    // MARK: Acting

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(0, &bytes, bytes.count)
        guard count > 0 else { exit(0) }
        pending.append(contentsOf: bytes[..<count])
        // No line that somebody types is longer.
        if pending.count > 1 << 20 { exit(1) }
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: pending[pending.startIndex..<end], as: UTF8.self)
            pending.removeSubrange(pending.startIndex...end)
            act(line.trimmingCharacters(in: .whitespaces))
        }
    }

    private func act(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard let first = words.first else { return }
        let rest = words.count > 1 ? words[1] : nil
        switch (first, rest.flatMap(Int.init)) {
        case ("q", _): exit(0)
        case ("w", let number?) where windows.indices.contains(number - 1):
            front = number - 1
            shown = []
            return show()
        case ("-", let number?) where rows.indices.contains(number - 1) && rows[number - 1].delete != nil:
            rows[number - 1].delete?()
        default:
            guard let number = Int(first), controls.indices.contains(number - 1) else {
                let help = "Type a number to press it, or a number and a text; \"- 1\" deletes row 1, \"q\" ends.\n"
                return FileHandle.standardOutput.write(Data(help.utf8))
            }
            let control = controls[number - 1]
            if let enter = control.enter { enter(rest ?? "") } else { control.press?() }
        }
        show()
    }
}

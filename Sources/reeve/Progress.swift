import CPlatform
import Foundation

/// A line on the terminal that says how far a long job is; silent when standard error is not a terminal.
struct Progress {
    private let isShown = isatty(2) == 1
    private let noun: String
    private let total: Int?
    private let start = Date()
    private var last = Date.distantPast

    init(_ noun: String, total: Int? = nil) {
        self.noun = noun
        self.total = total
    }

    mutating func update(_ done: Int) {
        let now = Date()
        guard isShown, now.timeIntervalSince(last) > 0.1 else { return }
        last = now
        let share = total.map { $0 > 0 ? " of \($0) (\(done * 100 / $0) %)" : "" } ?? ""
        let rate = Double(done) / max(now.timeIntervalSince(start), 0.001)
        say("\r\u{1B}[K\(done)\(share) \(noun), \(Int(rate))/s")
    }

    func finish() {
        if isShown { say("\r\u{1B}[K") }
    }

    private func say(_ text: String) {
        let bytes = Array(text.utf8)
        reeve_say(STDERR_FILENO, bytes, bytes.count)
    }
}

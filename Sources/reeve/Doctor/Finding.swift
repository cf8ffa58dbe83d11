/// What one examination found.
struct Finding {
    enum Verdict: String {
        case ok
        /// Works, and may not go on to.
        case warning
        /// Doesn't work.
        case problem
    }

    let verdict: Verdict
    /// What was examined.
    let subject: String
    let text: String
    /// What to do about it.
    let cure: String?

    static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(verdict: .ok, subject: subject, text: text, cure: nil)
    }

    static func warning(_ subject: String, _ text: String, cure: String) -> Finding {
        Finding(verdict: .warning, subject: subject, text: text, cure: cure)
    }

    static func problem(_ subject: String, _ text: String, cure: String) -> Finding {
        Finding(verdict: .problem, subject: subject, text: text, cure: cure)
    }

    var json: [String: Any] {
        var object: [String: Any] = ["verdict": verdict.rawValue, "subject": subject, "text": text]
        object["cure"] = cure
        return object
    }
}

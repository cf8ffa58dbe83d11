import Foundation

/// Examines what the agent and its clients need, and says what to do about what is wrong.
enum DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "examine socket, agent, files, disk, clock and server, and say how to cure what is wrong"
    static let synopsis = "[--server URL] [--json]"
    static let options: [Arguments.Option] = [
        .init("server", "URL", "also see whether this sync server can be reached"),
        .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect()
        let findings = examine(server: arguments.value("server"))
        let problems = findings.count { $0.verdict == .problem }
        if arguments.has("json") {
            Output.json(["problems": problems, "findings": findings.map(\.json)])
        } else {
            for finding in findings { show(finding) }
            Output.line(problems == 0 ? "no problems" : problems == 1 ? "1 problem" : "\(problems) problems")
        }
        return problems == 0 ? 0 : 1
    }

    /// All findings, in the order in which things depend on each other.
    static func examine(server: String?) -> [Finding] {
        AgentExamination.findings() + SurroundingsExamination.findings()
            + (server.map { ServerExamination.findings($0) } ?? [])
    }

    private static func show(_ finding: Finding) {
        let colour: Output.Colour =
            switch finding.verdict {
            case .ok: .green
            case .warning: .yellow
            case .problem: .red
            }
        Output.line(colouring: finding.verdict.rawValue, colour, "  \(finding.subject): \(finding.text)")
        if let cure = finding.cure { Output.line("         \(cure)") }
    }
}

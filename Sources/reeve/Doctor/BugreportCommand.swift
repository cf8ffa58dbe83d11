import Agent
import Foundation
import Wire

/// Gathers what somebody needs who is to find a fault. Nothing of what realms contain.
enum BugreportCommand: Command {
    static let name = "bugreport"
    static let summary = "gather versions, findings, status and the end of the agent's log, without data of realms"
    static let synopsis = "[--output FILE] [--lines N] [--json]"
    static let options: [Arguments.Option] = [
        .init("output", "FILE", "write it there instead of standard output"),
        .init("lines", "N", "so many lines of the log (200)"),
        .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect()
        let report = Report(lines: try arguments.number("lines") ?? 200)
        let text = arguments.has("json") ? Output.jsonText(report.json) : report.text
        guard let path = arguments.value("output") else {
            Output.line(text)
            return 0
        }
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw WireError(
                WireError.Code(systemCode: errno), "can't make \(path): \(String(cString: strerror(errno)))",
                facts: ["path": .string(path)])
        }
        try FileHandle(fileDescriptor: file, closeOnDealloc: true).write(contentsOf: Data((text + "\n").utf8))
        Output.line("written to \(path); read it before you send it: it has names of files and programs")
        return 0
    }
}

/// The parts of a report.
private struct Report {
    let system: [(String, String)]
    let settings: [(String, String)]
    let findings: [Finding]
    let status: String
    let log: [String]

    init(lines: Int) {
        let environment = ProcessInfo.processInfo.environment
        system = [
            ("reeve", ReeveVersion.current), ("system", Self.release()),
            ("kernel", Self.file("/proc/sys/kernel/osrelease")), ("machine", Self.machine()),
            ("user", "\(getuid())"), ("date", Date().formatted(.iso8601))
        ]
        settings = environment.filter { $0.key.hasPrefix("REEVE_") || $0.key.hasPrefix("XDG_") }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        findings = DoctorCommand.examine(server: nil)
        status = Self.status()
        log = Self.log(StateDirectory.path(environment: environment) + "/agent.log", lines)
    }

    private static func file(_ path: String) -> String {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? "unknown"
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func release() -> String {
        let line = file("/etc/os-release").split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        return line.map { $0.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\""]) } ?? "unknown"
    }

    private static func machine() -> String {
        let memory = Int64(clamping: ProcessInfo.processInfo.physicalMemory)
        return "\(ProcessInfo.processInfo.processorCount) processors, \(Output.size(memory)) memory"
    }

    private static func status() -> String {
        do {
            let status = try AgentClient(starting: false).call(AgentStatus(verbose: true))
            return Output.jsonText(StatusCommand.json(status))
        } catch let error as WireError {
            return error.messageWithPath
        } catch {
            return "\(error)"
        }
    }

    /// The last lines of a file. What the tail of the file has beyond a megabyte isn't read.
    private static func log(_ path: String, _ count: Int) -> [String] {
        guard let handle = FileHandle(forReadingAtPath: path) else { return ["there is no log \(path)"] }
        let end = (try? handle.seekToEnd()) ?? 0
        try? handle.seek(toOffset: end > 1 << 20 ? end - 1 << 20 : 0)
        let data = (try? handle.readToEnd()) ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").suffix(count).map(String.init)
    }

    var text: String {
        func part(_ title: String, _ lines: [String]) -> String { "== \(title)\n" + lines.joined(separator: "\n") }
        return [
            part("system", system.map { "\($0.0): \($0.1)" }), part("settings", settings.map { "\($0.0)=\($0.1)" }),
            part("findings", findings.map { "\($0.verdict.rawValue) \($0.subject): \($0.text)" }),
            part("status", [status]), part("log", log)
        ].joined(separator: "\n\n")
    }

    var json: [String: Any] {
        [
            "system": Dictionary(system) { $1 }, "settings": Dictionary(settings) { $1 },
            "findings": findings.map(\.json), "status": status, "log": log
        ]
    }
}

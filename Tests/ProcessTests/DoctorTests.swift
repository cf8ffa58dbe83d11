import Foundation
import TestSupport
import Testing

/// `reeve doctor` and `reeve bugreport`, with faults that were made on purpose.
@Suite struct DoctorTests {
    private struct Report: Decodable {
        struct Finding: Decodable {
            let verdict: String
            let subject: String
            let text: String
            let cure: String?
        }
        let problems: Int
        let findings: [Finding]

        func finding(_ subject: String) -> Finding? { findings.first { $0.subject == subject } }
    }

    private func fill(_ agent: AgentUnderTest, _ name: String = "Rex") throws {
        let (status, output) = try agent.shell("echo '{\"name\": \"\(name)\"}' | \"$REEVE\" import a.realm Dog -")
        guard status == 0 else { throw TestFailure(output) }
    }

    private func examine(
        _ agent: AgentUnderTest, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> (status: Int32, report: Report) {
        let (status, output) = try agent.command(["doctor", "--json"] + arguments, environment: environment)
        return (status, try JSONDecoder().decode(Report.self, from: Data(output.utf8)))
    }

    @Test func aRunningAgentIsWell() throws {
        let agent = try AgentUnderTest().start()
        try fill(agent)
        let (status, report) = try examine(agent)
        #expect(status == 0 && report.problems == 0)
        #expect(report.finding("socket")?.text == agent.location.path)
        #expect(report.finding("agent")?.verdict == "ok" && report.finding("disk")?.verdict == "ok")
        let (plain, text) = try agent.command(["doctor"])
        #expect(plain == 0 && text.contains("ok  agent: version") && text.hasSuffix("no problems\n"))
        #expect(!text.contains("\u{1B}"), "colours where there is no terminal")
    }

    @Test func withoutAnAgentItSaysWhatStartsOne() throws {
        let agent = try AgentUnderTest()
        let (status, report) = try examine(agent, environment: ["REEVE_AGENT": "/nowhere/reeve"])
        #expect(status == 1 && report.problems == 1)
        #expect(report.finding("agent")?.text.contains("none runs") == true)
        #expect(report.finding("starting")?.cure?.contains("unset") == true)
        let (healthy, cured) = try examine(agent, environment: ["REEVE_AGENT": AgentUnderTest.binary])
        #expect(healthy == 0 && cured.finding("starting")?.verdict == "ok")
    }

    @Test func anOpenDirectoryIsAProblemWithACure() throws {
        let agent = try AgentUnderTest().start()
        let directory = agent.location.directory
        chmod(directory, 0o755)
        let (status, report) = try examine(agent)
        chmod(directory, 0o700)
        #expect(status == 1)
        #expect(report.finding("socket")?.text.contains("chmod 700") == true)
        let (after, _) = try examine(agent)
        #expect(after == 0)
    }

    @Test func aRealmThatOthersMayReadIsAWarning() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        try fill(agent)
        let watcher = try ClientProcess(agent, program: "reeve", ["watch", path, "Dog"])
        _ = try watcher.wait(for: "1 match")
        chmod(path, 0o644)
        let (status, report) = try examine(agent)
        #expect(status == 0 && report.finding(path)?.verdict == "warning")
        #expect(report.finding(path)?.cure?.contains("chmod 600") == true)
    }

    @Test func aStoppedAgentIsNamedWithItsCure() throws {
        let agent = try AgentUnderTest().start()
        agent.kill(SIGSTOP)
        let (status, report) = try examine(agent, environment: ["REEVE_ANSWER_S": "1"])
        agent.kill(SIGCONT)
        #expect(status == 1 && report.finding("agent")?.text.contains("kill -CONT \(agent.pid)") == true)
    }

    @Test func aServerThatIsNotThereIsAProblem() throws {
        let agent = try AgentUnderTest().start()
        // Nothing listens on the port of TCP's discarding service here, nor can anybody but root make it.
        let (status, report) = try examine(agent, ["--server", "http://127.0.0.1:9"])
        #expect(status == 1 && report.finding("server")?.text.contains("can't be reached") == true)
        let (wrong, nonsense) = try examine(agent, ["--server", "no url"])
        #expect(wrong == 1 && nonsense.finding("server")?.text.contains("is no URL") == true)
    }

    @Test func aBugReportHasNoData() throws {
        let agent = try AgentUnderTest().start()
        try fill(agent, "SECRET")
        let (status, text) = try agent.command(["bugreport"])
        #expect(status == 0 && text.contains("== system\nreeve: ") && text.contains("== findings"))
        #expect(!text.contains("SECRET"))
        let file = agent.home.path("report.txt")
        #expect(try agent.command(["bugreport", "--output", file]).status == 0)
        var info = stat()
        #expect(stat(file, &info) == 0 && info.st_mode & 0o777 == 0o600)
        let (again, refusal) = try agent.command(["bugreport", "--output", file])
        #expect(again == 1 && refusal.contains("File exists"))
        let (json, document) = try agent.command(["bugreport", "--json"])
        #expect(json == 0)
        #expect((try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])?["log"] != nil)
    }
}

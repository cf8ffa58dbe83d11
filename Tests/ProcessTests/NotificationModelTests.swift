import TestSupport
import Testing

/// Random transactions of several processes on one realm: each observes Results, lists, sets, maps and sections, and
/// holds every change set against a model that compares whole states.
@Suite(.serialized) struct NotificationModelTests {
    @Test("NO-02, NO-03, NO-04, NO-06, NO-11: what is told is what a comparison of the states shows")
    func randomTransactionsOfSeveralProcesses() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("yard.realm")
        let steps = 170 * soakFactor
        let processes = try ["shunt", "shunt", "shunt-on-queue"].enumerated().map { number, scenario in
            try ClientProcess(agent, [scenario, realm, "\(number + 1)", "\(randomSeed)", "\(steps)"])
        }
        for process in processes { _ = try process.wait(for: "ready", within: .seconds(120)) }
        for process in processes { _ = try process.wait(for: "written", within: .seconds(300 * soakFactor)) }
        for process in processes {
            process.write("all have written")
            try process.finish()
            #expect(try process.wait(for: "updates").hasSuffix("faults 0"), "seed \(randomSeed)")
            #expect(process.output.filter { $0.hasPrefix("fault ") } == [], "seed \(randomSeed)")
        }
        #expect(try agent.command(["verify", realm]).status == 0, "seed \(randomSeed)")
    }
}

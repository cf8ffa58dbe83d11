import Foundation
import TestSupport
import Testing

/// The programs in `Examples`, as somebody uses them.
@Suite struct ExampleTests {
    private let agent: AgentUnderTest

    init() throws {
        agent = try AgentUnderTest().start()
    }

    @Test func aTodoListShowsWhatAnotherWindowDoes() throws {
        let realm = agent.home.path("todo.realm")
        let window = try ClientProcess(agent, program: "todo", [realm])
        _ = try window.wait(for: "Today: 0 open")
        let other = try ClientProcess(agent, program: "todo", [realm, "Today", "add", "!Bread #shop"])
        #expect(try other.wait(for: "1. [ ] Bread") == "#shop !")
        _ = try window.wait(for: "Today: 1 open, 1 urgent")
        window.write("add Milk")
        _ = try window.wait(for: "2. [ ] Milk")
        window.write("up 2")
        _ = try window.wait(for: "1. [ ] Milk")
        let finder = try ClientProcess(agent, program: "todo", [realm, "Other", "find", "SHOP"])
        _ = try finder.wait(for: "Today: Bread #shop")
        window.write("done 1")
        _ = try window.wait(for: "1. [x] Milk")
        window.write("clear")
        _ = try window.wait(for: "1 gone")
        window.write("rm 5")
        _ = try window.wait(for: "there is no item 5")
        window.write("quit")
        try window.finish()
    }

    @Test func logsOfTwoProgramsComeTogether() throws {
        let realm = agent.home.path("logs.realm")
        let follower = try ClientProcess(agent, program: "log-collector", [realm, "follow"])
        _ = try follower.wait(for: "0 errors so far")
        for (name, lines) in [("web", ["GET /", "ERROR no route", "warn: slow"]), ("db", ["debug: vacuum"])] {
            let collector = try ClientProcess(agent, program: "log-collector", [realm, "collect", name])
            for line in lines { collector.write(line) }
            collector.closeInput()
            _ = try collector.wait(for: "\(lines.count) lines collected")
        }
        _ = try follower.wait(for: "web: ERROR no route")
        let report = try ClientProcess(agent, program: "log-collector", [realm, "report"])
        _ = try report.wait(for: "from ")
        #expect(
            report.output.dropLast() == [
                "web: 3 lines, 1 errors", "db: 1 lines, 0 errors", "error: 1", "warning: 1", "info: 1", "debug: 1",
                "  web: ERROR no route"
            ])
        let prune = try ClientProcess(agent, program: "log-collector", [realm, "prune", "0"])
        _ = try prune.wait(for: "3 lines pruned")
    }

    @Test func anImportedDataSetIsBrowsed() throws {
        let realm = agent.home.path("places.realm")
        let data = agent.home.path("places.json")
        let places = """
            [{"code": "AT-9", "name": "Wien", "parent": null, "type": "State"},
             {"code": "DE-BY", "name": "Bayern", "parent": null, "type": "Land"},
             {"code": "IT-25", "name": "Lombardia", "parent": null, "type": "Region"},
             {"code": "IT-MI", "name": "Milano", "parent": "IT-25", "type": "Province"}]
            """
        try Data(places.utf8).write(to: URL(fileURLWithPath: data))
        let importer = try ClientProcess(
            agent, program: "reeve", ["import", realm, "Subdivision", data, "--key", "code"])
        try importer.finish()
        func ask(_ words: String...) throws -> [String] {
            let browser = try ClientProcess(agent, program: "place-browser", [realm] + words)
            try browser.finish()
            return browser.output
        }
        #expect(try ask("countries") == ["AT 1  DE 1  IT 2"])
        #expect(try ask("types") == ["Land: 1", "Province: 1", "Region: 1", "State: 1"])
        #expect(try ask("in", "it") == ["IT-25\tLombardia\tRegion", "IT-MI\tMilano\tProvince"])
        #expect(try ask("find", "WIEN") == ["AT-9\tWien\tState"])
        #expect(try ask("show", "it-25") == ["Lombardia (IT-25), Region", "IT-MI\tMilano\tProvince"])
    }
}

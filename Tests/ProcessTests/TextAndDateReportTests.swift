import Foundation
import TestSupport
import Testing

/// Reports from the field about texts and dates, each under its number: an app and the command say the same.
@Suite struct TextAndDateReportTests {
    private func run(_ agent: AgentUnderTest, _ arguments: [String]) throws -> [String] {
        let process = try ClientProcess(agent, arguments)
        try process.finish()
        return process.output
    }

    /// What the command printed of a property, as JSON, in order.
    private func values(_ output: String, of property: String) -> [String] {
        output.split(separator: "\n").map { line in
            guard let start = line.range(of: "\"\(property)\":")?.upperBound else { return "none" }
            return String(line[start...].dropLast())
        }
    }

    @Test("R68 case is ignored in all alphabets") func caseInsensitiveSearch() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("texts.realm")
        _ = try run(
            agent,
            ["write-texts", realm, "Москва", "москва", "JØSANG SJØMAT", "BRZĘCZYSZCZYKIEWICZ", "Straße", "😀Smile"])
        let expected = [("мос", 2, 1), ("jøs", 1, 0), ("brzę", 1, 0), ("😀smile", 1, 0), ("STRASSE", 0, 0)]
        let told = try run(agent, ["find-texts", realm] + expected.map(\.0))
        for (part, folded, exact) in expected {
            #expect(told.contains("contains \(part) \(folded) \(exact)"), "\(told)")
            let counts = try ["text CONTAINS[c] \"\(part)\"", "text CONTAINS \"\(part)\""].map { query in
                try agent.command(["query", realm, "Note", query, "--count"]).output
            }
            #expect(counts == ["\(folded)\n", "\(exact)\n"], "\(part)")
        }
    }

    @Test("R69 texts are in the order of their code points, null first") func sortOrder() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("texts.realm")
        _ = try run(agent, ["write-texts", realm, "b", "A", "a", "B", "Z", "z", "É", "e", "я"])
        let told = try run(agent, ["find-texts", realm])
        #expect(told.contains("by text -,A,B,Z,a,b,e,z,É,я"), "\(told)")
        #expect(told.contains("by title -,A,B,Z,a,b,e,z,É,я"), "\(told)")
        for property in ["text", "title"] {
            for limit in [4, 20] {
                let (_, output) = try agent.command([
                    "query", realm, "Note", "--sort", property, "--limit", "\(limit)", "--properties", "text", "--json"
                ])
                let order = ["null", "\"A\"", "\"B\"", "\"Z\"", "\"a\"", "\"b\"", "\"e\"", "\"z\"", "\"É\"", "\"я\""]
                #expect(values(output, of: "text") == Array(order.prefix(limit)), "\(property)")
            }
        }
    }

    @Test("R72 dates are exact to the nanosecond, and reading doesn't round them") func datesAtTheEdges() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("dates.realm")
        _ = try run(agent, ["write-dates", realm])
        for (id, time) in [(3, "1970-01-01T00:00:00.000000001Z"), (4, "9999-12-31T23:59:59.999999999Z")] {
            let put = try agent.command(["put", realm, "Note", "{\"id\": \(id), \"time\": \"\(time)\"}"])
            #expect(put.status == 0, "\(put.output)")
        }
        // Chronological: distant past, −0.5 s, 1 ns, distant future, the year 9999.
        let told = try run(agent, ["find-dates", realm])
        #expect(told == ["order 1,0,3,2,4", "before 1970 0", "exact 5"])
        let (_, output) = try agent.command([
            "query", realm, "Note", "--sort", "time", "--properties", "time", "--json"
        ])
        let times = [
            // The distant past is the first day of the year 1 in the calendar of its time.
            "0000-12-30T00:00:00Z", "1969-12-31T23:59:59.5Z", "1970-01-01T00:00:00.000000001Z", "4001-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999999999Z"
        ]
        #expect(values(output, of: "time") == times.map { "\"\($0)\"" })
    }
}

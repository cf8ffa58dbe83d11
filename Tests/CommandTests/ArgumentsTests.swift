import Testing

@testable import reeve

@Suite struct ArgumentsTests {
    static let options: [Arguments.Option] = [.init("json", nil, "flag"), .init("limit", "N", "value")]

    private func parse(_ arguments: String...) throws -> Arguments {
        try Arguments(arguments, options: Self.options)
    }

    @Test func flagsValuesAndTheRestInAnyOrder() throws {
        let parsed = try parse("a", "--limit", "3", "b", "--json")
        #expect(parsed.positional == ["a", "b"])
        #expect(parsed.has("json"))
        #expect(try parsed.number("limit") == 3)
    }

    @Test func aValueMayFollowAnEqualsSign() throws {
        #expect(try parse("--limit=7").number("limit") == 7)
        #expect(try parse("--limit=a=b").value("limit") == "a=b")
        #expect(try parse("--limit=").value("limit")?.isEmpty == true)
    }

    @Test func twoDashesEndTheOptions() throws {
        #expect(try parse("--json", "--", "--limit", "-x").positional == ["--limit", "-x"])
    }

    @Test func aRepeatedOptionKeepsAllAndTheLastCounts() throws {
        let parsed = try parse("--limit", "1", "--limit", "2")
        #expect(parsed.all("limit") == ["1", "2"])
        #expect(parsed.value("limit") == "2")
    }

    @Test(arguments: [["--nonsense"], ["--limit"], ["--json=yes"]])
    func whatIsNotUnderstoodIsRefused(arguments: [String]) {
        #expect(throws: UsageError.self) { try Arguments(arguments, options: Self.options) }
    }

    @Test(arguments: ["-1", "x", "1.5", ""])
    func numbersAreWholeAndNotBelowTheMinimum(text: String) throws {
        let parsed = try parse("--limit=\(text)")
        #expect(throws: UsageError.self) { try parsed.number("limit") }
    }

    @Test func missingAndSuperfluousArgumentsAreNamed() throws {
        #expect(throws: UsageError.self) { try parse("a").expect("REALM", "CLASS") }
        #expect(throws: UsageError.self) { try parse("a", "b").expect("REALM") }
        try parse("a").expect("REALM", "[QUERY]")
        try parse("a", "b").expect("REALM", "[QUERY]")
    }

    @Test func everyCommandExplainsItself() {
        for command in CommandLineTool.commands {
            #expect(command.help.contains("usage: reeve \(command.name)"))
            #expect(command.help.contains("--help"))
            // Whoever reads no more than the usage sees what there is.
            for option in command.options {
                #expect(command.synopsis.contains("--\(option.name)"), "\(command.name)")
            }
        }
        #expect(Set(CommandLineTool.commands.map { $0.name }).count == CommandLineTool.commands.count)
    }
}

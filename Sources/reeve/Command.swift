/// A sub-command of `reeve`.
protocol Command {
    static var name: String { get }
    /// One line for the list of sub-commands.
    static var summary: String { get }
    /// What follows the name on the command line.
    static var synopsis: String { get }
    static var options: [Arguments.Option] { get }
    /// Returns the exit status: 0 done, 1 "no" or a failure that was reported.
    static func run(_ arguments: Arguments) throws -> Int32
}

extension Command {
    static var options: [Arguments.Option] { [] }

    /// The text of `reeve NAME --help`.
    static var help: String {
        let all = options + [Arguments.Option("help", nil, "show this")]
        let left = all.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
        let width = left.map(\.count).max() ?? 0
        let lines = zip(left, all).map { left, option in
            "  \(left)\(String(repeating: " ", count: width - left.count))  \(option.help)"
        }
        return """
            reeve \(name): \(summary)

            usage: reeve \(name) \(synopsis)

            \(lines.joined(separator: "\n"))
            """
    }
}

/// A command line: options by name, and what is left over in order.
struct Arguments {
    /// An option that a sub-command knows.
    struct Option {
        let name: String
        /// What stands for the value in the help; nil for a flag.
        let value: String?
        let help: String

        init(_ name: String, _ value: String? = nil, _ help: String) {
            self.name = name
            self.value = value
            self.help = help
        }
    }

    private(set) var positional: [String] = []
    private var flags: Set<String> = []
    private var values: [String: [String]] = [:]

    /// Reads `arguments`. `--` ends the options; `--name=value` and `--name value` are the same.
    init(_ arguments: [String], options: [Option]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                positional += rest
                return
            }
            guard argument.hasPrefix("--") else {
                positional.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else {
                throw UsageError("there is no option --\(name)")
            }
            if option.value == nil {
                guard parts.count == 1 else { throw UsageError("--\(name) takes no value") }
                flags.insert(name)
            } else {
                guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                    throw UsageError("--\(name) needs a value")
                }
                values[name, default: []].append(value)
            }
        }
    }

    func has(_ name: String) -> Bool { flags.contains(name) }

    func value(_ name: String) -> String? { values[name]?.last }

    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The option's value as a whole number not below `minimum`.
    func number(_ name: String, minimum: Int = 0) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), number >= minimum else {
            throw UsageError("--\(name) takes a whole number from \(minimum) on, not \"\(text)\"")
        }
        return number
    }

    /// Fails unless there are as many left-over arguments as `names` says; those in brackets may be missing.
    func expect(_ names: String...) throws {
        let required = names.filter { !$0.hasPrefix("[") }
        if positional.count < required.count {
            throw UsageError("\(required[positional.count]) is missing")
        }
        if positional.count > names.count {
            throw UsageError("\"\(positional[names.count])\" is too much")
        }
    }

    /// The left-over argument at `index`, if there is one.
    func optional(_ index: Int) -> String? {
        index < positional.count ? positional[index] : nil
    }
}

/// The command line was not understood; exit status 2.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

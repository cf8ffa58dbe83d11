/// Prints the scripts by which shells complete command lines: made from the commands themselves, so that none is
/// missing.
enum CompletionCommand: Command {
    static let name = "completion"
    static let summary = "print the completion script of a shell"
    static let synopsis = "bash | zsh | fish"

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("bash, zsh or fish")
        switch arguments.positional[0] {
        case "bash": Output.line(bash)
        case "zsh": Output.line(zsh)
        case "fish": Output.line(fish)
        default: throw UsageError("there is no script for \"\(arguments.positional[0])\": bash, zsh or fish?")
        }
        return 0
    }

    /// Words that come first after a command.
    private static func actions(_ command: any Command.Type) -> [String] {
        switch command.name {
        case "app": ["create", "permissions", "migrate", "set", "list"]
        case "user": ["list", "disable", "enable", "delete", "revoke"]
        case "session": ["list"]
        case "sync": ["status", "pause", "resume", "reconnect"]
        case "completion": ["bash", "zsh", "fish"]
        default: []
        }
    }

    private static func options(_ command: any Command.Type) -> [Arguments.Option] {
        command.options + [Arguments.Option("help", nil, "show this")]
    }

    /// The commands whose second argument is a class of the realm that the first one names.
    private static let ofClasses = CommandLineTool.commands.filter { $0.synopsis.hasPrefix("REALM CLASS") }.map {
        $0.name
    }

    /// Prints the classes of a realm for a shell.
    private static func classes(of realm: String) -> String {
        #"reeve ls "\#(realm)" --json 2>/dev/null | grep -o '"name":"[^"]*"' | cut -d'"' -f4"#
    }

    // MARK: bash

    static var bash: String {
        let commands = CommandLineTool.commands
        let cases = commands.map { command in
            let words = options(command).map { "--\($0.name)" }.joined(separator: " ")
            let values = command.options.filter { $0.value != nil }.map { "--\($0.name)" }.joined(separator: "|")
            let actions = actions(command).joined(separator: " ")
            return "        \(command.name)) options=\"\(words)\" values=\"\(values)\" actions=\"\(actions)\" ;;"
        }
        return """
            # Completion of the reeve command for bash; made by `reeve completion bash`.
            _reeve() {
                local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options= values= actions=
                local commands="\(commands.map { $0.name }.joined(separator: " "))"
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$word")
                    return
                fi
                case $command in
            \(cases.joined(separator: "\n"))
                    *) return ;;
                esac
                if [[ -n $values && ${COMP_WORDS[COMP_CWORD - 1]} =~ ^($values)$ ]]; then
                    mapfile -t COMPREPLY < <(compgen -f -- "$word")
                elif [[ $word == --* ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
                elif [[ -n $actions ]]; then
                    ((COMP_CWORD == 2)) && mapfile -t COMPREPLY < <(compgen -W "$actions" -- "$word")
                elif ((COMP_CWORD == 3)) && [[ $command =~ ^(\(ofClasses.joined(separator: "|")))$ ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "$(\(classes(of: "${COMP_WORDS[2]}")))" -- "$word")
                else
                    mapfile -t COMPREPLY < <(compgen -f -- "$word")
                fi
            }
            complete -o filenames -F _reeve reeve
            """
    }

    // MARK: zsh

    private static func zshQuoted(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "(").replacing("]", with: ")")
            .replacing(":", with: "\\:")
    }

    static var zsh: String {
        let commands = CommandLineTool.commands
        let list = commands.map { "        '\($0.name):\(zshQuoted($0.summary))'" }
        let cases = commands.map { command in
            let lines = options(command).map { option in
                let value = option.value.map { ":\(zshQuoted($0)):_files" } ?? ""
                return "'*--\(option.name)[\(zshQuoted(option.help))]\(value)'"
            }
            let actions = actions(command)
            let first = actions.isEmpty ? "'1: :_files'" : "'1: :(\(actions.joined(separator: " ")))'"
            let second = ofClasses.contains(command.name) ? "'2: :_reeve_classes'" : "'2: :_files'"
            return
                "        \(command.name)) _arguments \((lines + [first, second, "'*: :_files'"]).joined(separator: " ")) ;;"
        }
        return """
            #compdef reeve
            # Completion of the reeve command for zsh; made by `reeve completion zsh`.
            _reeve_classes() {
                local -a classes
                classes=(${(f)"$(\(classes(of: "${line[1]}")))"})
                compadd -a classes
            }
            _reeve() {
                local -a commands line
                commands=(
            \(list.joined(separator: "\n"))
                )
                if ((CURRENT == 2)); then
                    _describe command commands
                    return
                fi
                local command=${words[2]}
                shift words
                ((CURRENT--))
                case $command in
            \(cases.joined(separator: "\n"))
                esac
            }
            _reeve "$@"
            """
    }

    // MARK: fish

    private static func fishQuoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }

    static var fish: String {
        let commands = CommandLineTool.commands
        var lines = [
            "# Completion of the reeve command for fish; made by `reeve completion fish`.",
            "complete -c reeve -n __fish_use_subcommand -l help -d 'show the commands'",
            "complete -c reeve -n __fish_use_subcommand -l version -d 'show the version'"
        ]
        for command in commands {
            lines.append(
                "complete -c reeve -n __fish_use_subcommand -f -a \(command.name) -d \(fishQuoted(command.summary))")
            let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
            for option in options(command) {
                let value = option.value == nil ? "" : " -r"
                lines.append("complete -c reeve \(condition) -l \(option.name)\(value) -d \(fishQuoted(option.help))")
            }
            let actions = actions(command)
            if !actions.isEmpty {
                lines.append("complete -c reeve \(condition) -f -a '\(actions.joined(separator: " "))'")
            }
        }
        return lines.joined(separator: "\n")
    }
}

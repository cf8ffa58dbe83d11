# Completion of the reeve command for bash: source it, or put it into /usr/share/bash-completion/completions/reeve.
_reeve() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    local commands="agent status ls schema query explain put delete watch import export copy compact verify hash queue sync shutdown server app user session"
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$word")
    elif [[ $word == --* ]]; then
        local options
        options=$(reeve "$command" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    elif [[ $command =~ ^(app|user|session)$ ]]; then
        local actions="list"
        case $command in
            app) actions="create list" ;;
            user) actions="list disable enable delete revoke" ;;
        esac
        ((COMP_CWORD == 2)) && mapfile -t COMPREPLY < <(compgen -W "$actions" -- "$word")
    elif ((COMP_CWORD == 2)); then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    elif ((COMP_CWORD == 3)); then
        local classes
        classes=$(reeve ls "${COMP_WORDS[2]}" --json 2>/dev/null | grep -o '"name":"[^"]*"' | cut -d'"' -f4)
        mapfile -t COMPREPLY < <(compgen -W "$classes" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _reeve reeve

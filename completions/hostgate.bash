# bash completion for hostgate, from bash 3.2 on.
# Made by `python -m hostgate.cli.completion`: change the declarations, not this file.

# The words after -- are completed as if hostgate were not there: $1 is where they begin.
_hostgate_wrapped() {
    local offset
    for offset in _comp_command_offset _command_offset; do
        if declare -F $offset >/dev/null; then
            compopt +o default 2>/dev/null
            $offset "$1"
            return
        fi
    done
    if [[ $COMP_CWORD -eq $1 && $cur != */* ]]; then
        IFS=$'\n'
        COMPREPLY=($(compgen -c -- "$cur"))
    fi # else nothing: file names are the default
}

# Only directories, where bash can be told so (from 4 on); else file names are the default.
_hostgate_directories() {
    compopt +o default -o dirnames 2>/dev/null
    return 0
}

_hostgate() {
    local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local verb='' lead='' offered='' at
    COMPREPLY=()
    for ((at = 1; at < COMP_CWORD; at++)); do
        case ${COMP_WORDS[at]} in
            --)
                case $verb in
                    run | hold | check | explain) _hostgate_wrapped $((at + 1)) ;;
                    *) compopt +o default 2>/dev/null ;;
                esac
                return
                ;;
            -*) ;;
            *) verb=${verb:-${COMP_WORDS[at]}} ;;
        esac
    done
    # --option=value is three words from bash 4 on, and one in bash 3.2
    case $cur in
        =) cur='' ;;
        --*=*)
            prev=${cur%%=*}
            [[ $COMP_WORDBREAKS == *=* ]] || lead=$prev=
            cur=${cur#*=}
            ;;
    esac
    [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
    case "$verb $prev" in
        'run --session' | 'run --title' | 'run --wait-timeout' | 'run --lane' | 'run --run-id' | 'run --timeout' | 'run --grace' | 'run -c' | 'hold --session' | 'hold --title' | 'hold --wait-timeout' | 'hold --lane' | 'hold --run-id' | 'hold -c' | 'check --session' | 'check --title' | 'check --lane' | 'check -c' | 'explain -c' | 'history -n' | 'history --count' | 'history --session' | 'history --outcome' | 'history --since' | 'stats --since') ;;
        'run --project' | 'hold --project' | 'check --project' | 'history --project' | 'stats --project' | 'config --project') _hostgate_directories && return ;;
        'run --on-conflict' | 'hold --on-conflict') offered='ask wait run cancel join' ;;
        *)
            case $verb in
                '') [[ $cur == -* ]] && offered='--version --help' || offered='run hold release stop resume ls check explain wait history stats config install uninstall hook doctor' ;;
                run) offered='--session --title --project --on-conflict --wait-timeout --lane --run-id --record --timeout --grace --strict --quiet -c --help --' ;;
                hold) offered='--session --title --project --on-conflict --wait-timeout --lane --run-id --strict --quiet -c --help --' ;;
                release) offered='--help' ;;
                stop) offered='--all --yes --help' ;;
                resume) offered='--yes --help' ;;
                ls) offered='--json --watch --help' ;;
                check) offered='--session --title --project --lane --json -c --help --' ;;
                explain) offered='-c --json --help --' ;;
                wait) offered='--idle --help' ;;
                history) offered='--json -n --count --project --session --outcome --since --help' ;;
                stats) offered='--json --project --since --help' ;;
                config) offered='--project --json --help' ;;
                install) offered='--user --project --dry-run --detect --help' ;;
                uninstall) offered='--user --project --dry-run --help' ;;
                hook) offered='--help' ;;
                doctor) offered='--help' ;;
            esac
            ;;
    esac
    compopt +o default 2>/dev/null
    COMPREPLY=($(compgen -P "$lead" -W "$offered" -- "$cur"))
}

complete -o default -F _hostgate hostgate

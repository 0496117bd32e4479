"""Static completion files for bash, zsh and fish, made from the commands as Typer declares them.

``python -m hostgate.cli.completion DIR`` writes them. They start no hostgate, neither when a
shell begins nor when it completes. After ``--`` they give way to the wrapped command's own
completion.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click
import typer

from hostgate.cli.app import app

SHORT, DIRECTORY, WRAPS = 2, "PATH", "-- CMD"  # an option like -c; metavars that say a kind


class Option(NamedTuple):
    """One option: its spellings, its help, and what its value is called and chosen from."""

    names: list[str]
    help: str
    value: str
    choices: list[str]
    repeats: bool


class Verb(NamedTuple):
    """One command; the one with no name is hostgate itself. ``wraps``: it takes ``-- CMD``."""

    name: str
    help: str
    options: list[Option]
    wraps: bool


def verbs() -> list[Verb]:
    """hostgate itself, then its commands in the order of its help."""
    root = typer.main.get_command(app)
    assert isinstance(root, click.Group)
    context = click.Context(root, info_name=root.name, **root.context_settings)
    found = [_verb("", root, context)]
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        assert command is not None
        found.append(_verb(name, command, click.Context(command, context, name)))
    return found


def _verb(name: str, command: click.Command, context: click.Context) -> Verb:
    known = command.get_params(context)
    options = [_option(one) for one in known if isinstance(one, click.Option) and not one.hidden]
    wraps = any(isinstance(one, click.Argument) and WRAPS in (one.metavar or "") for one in known)
    return Verb(name, _brief(command.help), options, wraps)


def _option(found: click.Option) -> Option:
    choices = list(found.type.choices) if isinstance(found.type, click.Choice) else []
    value = "" if found.is_flag else found.metavar or "VALUE"
    return Option(found.opts, _brief(found.help), value, choices, found.multiple)


def _brief(help: str | None) -> str:
    """The first sentence, without its stop."""
    return " ".join((help or "").split()).partition(". ")[0].removesuffix(".")


def bash(found: list[Verb]) -> str:
    """The file for bash. It knows no help: bash shows only words."""
    root, *commands = found
    values: dict[str, list[str]] = {}
    words = [f"'') offered='{' '.join(verb.name for verb in commands)}'"]
    words[0] += f" && [[ $cur == -* ]] && offered='{' '.join(_names(root))}' ;;"
    for verb in commands:
        offered = _names(verb) + ["--"] * verb.wraps
        words.append(f"{verb.name}) offered='{' '.join(offered)}' ;;")
        for option in verb.options:
            if option.value:
                action = f"offered='{' '.join(option.choices)}' ;;" if option.choices else ";;"
                action = "_hostgate_directories && return ;;" if _is_path(option) else action
                patterns = [f"'{verb.name} {name}'" for name in option.names]
                values.setdefault(action, []).extend(patterns)
    cases = [f"{' | '.join(patterns)}) {action}" for action, patterns in values.items()]
    return _fill(BASH, VALUES=cases, WORDS=words, WRAPS=[_wrapping(commands, " | ")])


def zsh(found: list[Verb]) -> str:
    """The file for zsh, to be autoloaded from a directory of ``fpath``."""
    root, *commands = found
    described = [_quoted(f"{verb.name}:{verb.help}") for verb in commands]
    cases: list[str] = []
    for verb in commands:
        cases += [f"({verb.name})", "  specs=("]
        cases += [f"    {spec}" for option in verb.options for spec in _specs(option)]
        cases += ["  )", "  ;;"]
    specs = [spec for option in root.options for spec in _specs(option)]
    wraps = [_wrapping(commands, "|")]
    return _fill(ZSH, COMMANDS=described, ROOT=specs, CASES=cases, WRAPS=wraps)


def _specs(option: Option) -> list[str]:
    """An option as ``_arguments`` of zsh wants it: one text for each spelling."""
    help = option.help.replace("[", "\\[").replace("]", "\\]")
    action = f"({' '.join(option.choices)})" if option.choices else " "
    tail = f":{option.value.replace(':', '')}:{'_directories' if _is_path(option) else action}"
    others = "- *" if option.names == ["--help"] else " ".join(option.names)
    specs = []
    for name in option.names:
        equals = "=" if option.value and len(name) > SHORT else ""
        lead = "*" if option.repeats else f"({others})"
        specs.append(_quoted(f"{lead}{name}{equals}[{help}]{tail if option.value else ''}"))
    return specs


def fish(found: list[Verb]) -> str:
    """The file for fish."""
    root, *commands = found
    lines = [f"-n __hostgate_at -a {verb.name} -d {_fished(verb.help)}" for verb in commands]
    for verb in (root, *commands):
        at = f"-n '__hostgate_at {verb.name}'" if verb.name else "-n __hostgate_at"
        lines += [f"{at} {_switches(option)} -d {_fished(option.help)}" for option in verb.options]
    names = _wrapping(commands, " ")
    lines.append(f"-n '__hostgate_at {names}' -a -- -d 'The command follows'")
    return _fill(FISH, LINES=[f"complete -c hostgate {line}" for line in lines], WRAPS=[names])


def _switches(option: Option) -> str:
    parts = [f"-l {name[2:]}" if len(name) > SHORT else f"-s {name[1:]}" for name in option.names]
    if option.value:
        parts.append("-x")
    if option.choices:
        parts.append(f"-a '{' '.join(option.choices)}'")
    if _is_path(option):
        parts.append("-a '(__fish_complete_directories)'")
    return " ".join(parts)


def _is_path(option: Option) -> bool:
    return option.value == DIRECTORY


def _names(verb: Verb) -> list[str]:
    return [name for option in verb.options for name in option.names]


def _wrapping(commands: list[Verb], between: str) -> str:
    """The commands that take ``-- CMD``."""
    return between.join(verb.name for verb in commands if verb.wraps)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fished(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _fill(template: str, **parts: list[str]) -> str:
    """The template with each ``@NAME@`` replaced; one on a line of its own keeps its indent."""
    lines: list[str] = []
    for line in template.splitlines():
        name = line.strip().strip("@")
        if line.strip() == f"@{name}@":
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + part for part in parts[name]]
        else:
            lines.append(line.replace("@WRAPS@", parts["WRAPS"][0]))
    return "\n".join(lines) + "\n"


BASH = r"""# bash completion for hostgate, from bash 3.2 on.
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
                    @WRAPS@) _hostgate_wrapped $((at + 1)) ;;
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
        @VALUES@
        *)
            case $verb in
                @WORDS@
            esac
            ;;
    esac
    compopt +o default 2>/dev/null
    COMPREPLY=($(compgen -P "$lead" -W "$offered" -- "$cur"))
}

complete -o default -F _hostgate hostgate
"""

ZSH = r"""#compdef hostgate
# zsh completion for hostgate.
# Made by `python -m hostgate.cli.completion`: change the declarations, not this file.

local curcontext=$curcontext state line expl ret=1
local -a verbs specs # not zsh's own names: the wrapped command's completion needs those
local -A opt_args
integer at=2

while (( at < CURRENT )) && [[ $words[at] == -* ]]; do
  (( at++ ))
done

if (( at >= CURRENT )); then
  verbs=(
    @COMMANDS@
  )
  specs=(
    @ROOT@
  )
  _arguments -C $specs '*: :->command' && ret=0
  [[ $state == command ]] && _describe -t commands 'command' verbs && ret=0
  return ret
fi

# From here on the command is the first word.
(( at-- ))
shift $at words
(( CURRENT -= at ))
curcontext="${curcontext%:*}-$words[1]:"

# The words after -- are completed as if hostgate were not there.
at=${words[(ie)--]}
if (( at < CURRENT )); then
  [[ $words[1] == (@WRAPS@) ]] || return 1
  shift $at words
  (( CURRENT -= at ))
  if (( CURRENT == 1 )); then
    _command_names -e
  else
    _normal
  fi
  return
fi

case $words[1] in
  @CASES@
  (*)
    return 1
    ;;
esac
if [[ $words[1] == (@WRAPS@) ]]; then
  specs+=('*: :->dashes')
fi
_arguments -C $specs && ret=0
if [[ $state == dashes ]]; then
  _wanted dashes expl 'end of the options' compadd -- -- && ret=0
fi
return ret
"""

FISH = r"""# fish completion for hostgate.
# Made by `python -m hostgate.cli.completion`: change the declarations, not this file.

# Whether the cursor is among the options of one of these commands; of none: before any command.
function __hostgate_at
    set -l words (commandline -opc)
    set -e words[1]
    contains -- -- $words
    and return 1
    while string match -q -- '-*' $words[1]
        set -e words[1]
    end
    test -z "$words$argv"
    or contains -- "$words[1]" $argv
end

# The words after -- are completed as if hostgate were not there.
function __hostgate_wrapped
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words)
    or return
    contains -- $words[2] @WRAPS@
    or return
    set -a words (commandline -ct)
    __fish_complete_subcommand --commandline $words[(math $at + 1)..-1]
end

complete -c hostgate -f
@LINES@
complete -c hostgate -a '(__hostgate_wrapped)'
"""

FILES: dict[str, Callable[[list[Verb]], str]] = {
    "hostgate.bash": bash,
    "_hostgate": zsh,
    "hostgate.fish": fish,
}


def main(directory: str) -> None:
    """Write the three files into a directory."""
    known = verbs()
    for name, make in FILES.items():
        Path(directory, name).write_text(make(known), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])

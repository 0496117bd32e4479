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


class Verb(NamedTuple):
    """One command; the one with no name is hostgate itself. ``wraps``: it takes ``-- CMD``."""

    name: str
    help: str
    options: list[click.Option]
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
    options = [one for one in known if isinstance(one, click.Option)]
    wraps = any(isinstance(one, click.Argument) and "-- CMD" in str(one.metavar) for one in known)
    return Verb(name, _brief(command.help), options, wraps)


def bash(found: list[Verb]) -> str:
    """The file for bash. It knows no help: bash shows only words."""
    root, *commands = found
    names = " ".join(verb.name for verb in commands)
    words = [f"'') [[ $cur == -* ]] && offered='{_words(root)}' || offered='{names}' ;;"]
    words += [f"{verb.name}) offered='{_words(verb)}' ;;" for verb in commands]
    actions: dict[str, list[str]] = {}
    for verb in commands:
        for option in verb.options:
            if not option.is_flag:
                patterns = [f"'{verb.name} {name}'" for name in option.opts]
                actions.setdefault(_bash_value(option), []).extend(patterns)
    values = [f"{' | '.join(patterns)}) {action};;" for action, patterns in actions.items()]
    return _fill(BASH, _wrapping(commands, " | "), VALUES=values, WORDS=words)


def _words(verb: Verb) -> str:
    words = [name for option in verb.options for name in option.opts]
    return " ".join([*words, "--"] if verb.wraps else words)


def _bash_value(option: click.Option) -> str:
    if _is_path(option):
        return "_hostgate_directories && return "
    return f"offered='{choices}' " if (choices := _choices(option)) else ""


def zsh(found: list[Verb]) -> str:
    """The file for zsh, to be autoloaded from a directory of ``fpath``."""
    root, *commands = found
    names = [_quoted(f"{verb.name}:{verb.help}") for verb in commands]
    cases: list[str] = []
    for verb in commands:
        cases += [f"({verb.name})", "  specs=("]
        cases += [f"    {spec}" for option in verb.options for spec in _zsh_specs(option)]
        cases += ["  )", "  ;;"]
    specs = [spec for option in root.options for spec in _zsh_specs(option)]
    return _fill(ZSH, _wrapping(commands, "|"), NAMES=names, ROOT=specs, CASES=cases)


def _zsh_specs(option: click.Option) -> list[str]:
    """An option as ``_arguments`` wants it: one text for each of its spellings."""
    others = "- *" if option.opts == ["--help"] else " ".join(option.opts)
    lead = "*" if option.multiple else f"({others})"
    help = _brief(option.help).replace("[", "\\[").replace("]", "\\]")
    if option.is_flag:
        return [_quoted(f"{lead}{name}[{help}]") for name in option.opts]
    choices = _choices(option)
    action = f"({choices})" if choices else "_directories" if _is_path(option) else " "
    value = f"[{help}]:{option.metavar or 'value'}:{action}"
    return [_quoted(f"{lead}{name}{'=' * _is_long(name)}{value}") for name in option.opts]


def fish(found: list[Verb]) -> str:
    """The file for fish."""
    commands = found[1:]
    lines = [f"__hostgate_at -a {verb.name} -d {_fish_quoted(verb.help)}" for verb in commands]
    for verb in found:
        for option in verb.options:
            at = _quoted(f"__hostgate_at {verb.name}".strip())
            help = _fish_quoted(_brief(option.help))
            lines.append(f"{at} {_fish_switches(option)} -d {help}")
    names = _wrapping(commands, " ")
    lines.append(f"'__hostgate_at {names}' -a -- -d 'The command follows'")
    return _fill(FISH, names, LINES=[f"complete -c hostgate -n {line}" for line in lines])


def _fish_switches(option: click.Option) -> str:
    parts = [f"-l {name[2:]}" if _is_long(name) else f"-s {name[1:]}" for name in option.opts]
    values = "(__fish_complete_directories)" if _is_path(option) else _choices(option)
    if not option.is_flag:
        parts.append(f"-x -a '{values}'" if values else "-x")
    return " ".join(parts)


def _brief(help: str | None) -> str:
    """The first sentence, without its stop."""
    return " ".join((help or "").split()).partition(". ")[0].removesuffix(".")


def _choices(option: click.Option) -> str:
    return " ".join(option.type.choices) if isinstance(option.type, click.Choice) else ""


def _is_path(option: click.Option) -> bool:
    return option.metavar == "PATH"


def _is_long(name: str) -> bool:
    return name.startswith("--")


def _wrapping(commands: list[Verb], between: str) -> str:
    """The commands that take ``-- CMD``."""
    return between.join(verb.name for verb in commands if verb.wraps)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _fill(template: str, wraps: str, **parts: list[str]) -> str:
    """The template with every ``@NAME@`` line replaced by its part, at the same indent."""
    for name, part in parts.items():
        before, _, after = template.partition(f"@{name}@")
        indent = before[before.rindex("\n") :]
        template = before + indent.join(part) + after
    return template.replace("@WRAPS@", wraps)


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
    @NAMES@
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

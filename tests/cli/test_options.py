"""The quick path's parser, and that Typer reads the same words in the same way."""

from __future__ import annotations

from typing import Any

import click
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from support import Host

from hostgate.cli.app import app
from hostgate.cli.options import OPTIONS, Request, UsageError, parse
from hostgate.core.durations import parse_duration


def by_typer(words: list[str]) -> dict[str, Any] | None:
    """The values of ``run``'s options as Typer reads them; ``None`` where it refuses."""
    group = typer.main.get_command(app)
    assert isinstance(group, click.Group)
    run = group.commands["run"]
    try:
        values = run.make_context("run", list(words)).params
        for option in OPTIONS:
            if option.kind == "duration" and values[option.field] is not None:
                values[option.field] = parse_duration(values[option.field])
    except (click.ClickException, ValueError):
        return None
    return values


def by_quick_path(words: list[str]) -> Request | None:
    try:
        return parse(words, {})
    except UsageError:
        return None


VALUES = {
    "text": st.sampled_from(["x", "a b", "ü", "--", "-x"]),
    "id": st.sampled_from(["x", "a b", "ü", "--", "-x"]),
    "duration": st.sampled_from(["90", "1m30s", "x", ""]),
    "policy": st.sampled_from(["ask", "wait", "run", "cancel", "join", "later"]),
}


def option_words(option: Any) -> st.SearchStrategy[list[str]]:
    name = f"--{option.name}"
    if option.kind == "flag":
        return st.just([name])
    values = VALUES[option.kind].filter(lambda value: value not in ("--", "-x"))
    return values.flatmap(lambda value: st.sampled_from([[name, value], [f"{name}={value}"]]))


LINES = st.tuples(
    st.lists(
        st.sampled_from(OPTIONS).flatmap(option_words) | st.just(["--frob"]),
        max_size=4,
        unique_by=lambda words: words[0].partition("=")[0],  # click looks at the last of two only
    ),
    st.sampled_from([["--", "make"], ["--", "make", "-j8", "--", "-c"], ["-c", "make all"]]),
).map(lambda pair: [word for words in pair[0] for word in words] + pair[1])


@given(LINES)
def test_the_quick_path_and_typer_read_the_same(words: list[str]) -> None:
    quick, typed = by_quick_path(words), by_typer(words)
    assert (quick is None) == (typed is None), (words, typed)
    if quick is None or typed is None:
        return
    for option in OPTIONS:
        mine, theirs = getattr(quick, option.field), typed[option.field]
        assert (mine or None) == (list(theirs) if option.repeats and theirs else theirs or None)
    assert (quick.text, quick.argv) == (typed["text"], list(typed["argv"] or []))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--frob", "--", "make"], "no such option: --frob"),
        (["--frob=1", "--", "make"], "no such option: --frob"),
        (["-x", "--", "make"], "no such option: -x"),
        (["make"], "put -- before the command: hostgate run -- make …"),
        (["make", "--timeout", "5"], "put -- before the command"),
        ([], "no command"),
        (["--strict"], "no command"),
        (["--"], "no command after --"),
        (["-c"], "-c needs a string"),
        (["-c", "make", "all"], "unexpected word after -c STRING: all"),
        (["-c", "make", "--strict"], "unexpected word after -c STRING: --strict"),
        (["--timeout", "5x", "--", "make"], "--timeout: not a duration: '5x'"),
        (["--timeout", "--", "make"], "--timeout needs a value (DURATION)"),
        (["--timeout"], "--timeout needs a value"),
        (["--wait-timeout=", "--", "make"], "--wait-timeout: not a duration: ''"),
        (["--on-conflict", "later", "--", "make"], "--on-conflict: not one of ask, wait"),
        (["--session=", "--", "make"], "--session is empty"),
        (["--strict=yes", "--", "make"], "--strict takes no value"),
    ],
)
def test_bad_usage_is_one_line_and_125(host: Host, words: list[str], text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(words, {})
    assert text in str(caught.value)
    if "make" in words[:1] or words in ([], ["--frob", "--", "make"]):
        done = host.run("run", *words)
        assert (done.returncode, done.stdout) == (125, "")
        assert done.stderr.startswith("hostgate: ")
        assert done.stderr.count("\n") == 1


def test_the_last_of_an_option_given_twice_counts_and_a_lane_is_one_of_several() -> None:
    request = parse(["--title", "a", "--title", "b", "--lane", "x", "--lane=y", "--", "m"], {})
    assert (request.title, request.lane) == ("b", ["x", "y"])


def test_a_bad_value_in_the_environment_names_its_variable() -> None:
    with pytest.raises(UsageError, match="HOSTGATE_WAIT_TIMEOUT: not a duration"):
        parse(["--", "make"], {"HOSTGATE_WAIT_TIMEOUT": "soon"})


def test_what_stands_behind_the_dashes_is_the_command_s_own() -> None:
    request = parse(["--", "make", "--strict", "--help", "--", "-c"], {})
    assert request.argv == ["make", "--strict", "--help", "--", "-c"]
    assert not request.strict


@given(st.lists(st.text(max_size=8), max_size=6))
def test_any_words_are_read_or_refused(words: list[str]) -> None:
    by_quick_path(words)


@pytest.mark.parametrize(
    "words",
    [["run", "--{}"], ["run", "-c", "true", "{}"], ["run", "{}"], ["release", "{}"], ["wait", "{}"],
     ["stop", "{}"], ["resume", "{}"], ["install", "{}"], ["hold", "{}"], ["hook", "{}"], ["{}"],
     ["run", "--", "{}"], ["run", "--wait-timeout", "{}", "--", "true"]],
)  # fmt: skip
def test_a_word_that_an_error_quotes_draws_nothing(host: Host, words: list[str]) -> None:
    evil = "a\x1b[2J\rhostgate: fine\n\u202eb\x07"
    done = host.run(*[word.format(evil) for word in words])
    lines = done.stderr.splitlines()
    assert lines and all(line.startswith("hostgate: ") for line in lines)
    assert not set(done.stdout + done.stderr) & set("\x1b\r\u202e\x07")

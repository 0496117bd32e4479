from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.lexer import Unreadable
from hostgate.core.parser import parse
from hostgate.core.text import join

ARGUMENTS = st.lists(st.text(st.characters(blacklist_characters="\0", codec="utf-8")), min_size=1)


def words(text: str) -> list[list[str]]:
    return [part.words for part in parse(text)]


@given(ARGUMENTS)
def test_a_joined_argument_list_is_taken_apart_to_the_same_one(argv: list[str]) -> None:
    assert shlex.split(join(argv)) == argv


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
        ("a && b || c; d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("a 2>&1 >x <y &>z >>w b", [["a", "b"]]),
        ("FOO=1 BAR='x y' make", [["make"]]),
        ("a # b && c", [["a"]]),
        ("a#b", [["a#b"]]),
        ("(cd x && make) && { ls; }", [["make"], ["ls"]]),
        ("if make; then ls; else exit; fi", [["make"], ["ls"], ["exit"]]),
        ("for d in a b; do make -C $d; done", [["make", "-C", "$d"]]),
        ("while ! make -s; do sleep 5; done", [["make", "-s"], ["sleep", "5"]]),
        ("cat <<EOF\nmake\nEOF\nls", [["cat"], ["ls"]]),
        ("cat <<-'X'\n\tmake\n\tX\nls", [["cat"], ["ls"]]),
        (
            "echo $(make all; true) `x`",
            [["echo", "$(make all; true)", "`x`"], ["make", "all"], ["true"], ["x"]],
        ),
        ("case $1 in a) make;; b | c) ninja;; esac", [["make"], ["ninja"]]),
        ("build() { make -j4; }; echo x; build; build", [["echo", "x"], ["make", "-j4"]]),
        ("unused() { make; }; ls", [["ls"]]),
        ('run() { echo "$@"; "$@"; }; run make all', [["echo", "$@"], ["make", "all"]]),
        ('log() { echo "$*"; }; log make all; "$@"', [["echo", "$*"]]),
        ("retry() { until $@; do sleep 1; done; }; retry make", [["make"], ["sleep", "1"]]),
        ("[[ -f x && -d y ]] && make", [["[[", "-f", "x", "&&", "-d", "y", "]]"], ["make"]]),
        ("diff <(make -p) b", [["diff", "<(make -p)", "b"], ["make", "-p"]]),
        ("A=$(make) B=(x y) ninja", [["ninja"], ["make"]]),
        ("cat <<EOF | bash -s\nmake $(x)\nEOF", [["cat"], ["bash", "-s"], ["x"]]),
        ("cat <<EOF > out && make\n$(x)\nEOF", [["cat"], ["make"], ["x"]]),
        ("python3 - <<'EOF' 2>&1 | tail\nx=$(y)\nEOF", [["python3", "-"], ["tail"]]),
        ("for ((i=0; i<3; i++)); do make; done", [["make"]]),
        ("D=web; make -C $D; cd ${D}/x; ninja", [["make", "-C", "web"], ["ninja"]]),
        ('CMD="make all"; $CMD -j4', [["make", "all", "-j4"]]),
        (".\\gradlew.bat build", [[".\\gradlew.bat", "build"]]),
        ("echo $'a\\tb' $\"c\"", [["echo", "a\tb", "c"]]),
        ("a \\\n b", [["a", "b"]]),
        ("", []),
    ],
)
def test_a_command_line_falls_into_its_simple_commands(
    text: str, expected: list[list[str]]
) -> None:
    assert words(text) == expected


def test_a_part_knows_what_it_writes_and_its_here_document() -> None:
    first, second = parse("cat > out 2>&1 <<EOF\nbody\nEOF\nmake > /dev/null")
    assert (first.words, first.writes, first.document) == (["cat"], "out", "body\n")
    assert (second.words, second.writes, second.document) == (["make"], "", "")


@pytest.mark.parametrize("text", ["a 'b", 'a "b', "a $(b", "a `b", "case x in y) z", "a (b"])
def test_what_is_open_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        parse(text)

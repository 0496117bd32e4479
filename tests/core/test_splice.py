from __future__ import annotations

import os
import subprocess
import tempfile

import pytest
from corpus import commands
from hypothesis import given, settings
from hypothesis import strategies as st

from hostgate.core.rules import Rules
from hostgate.core.splice import points, spliced, surely_reads

UNTOUCHED = """
ls -la
git status && git log
cd sub
export CC=clang
source venv/bin/activate
echo make
rg make
hostgate run -- make
hostgate run -c 'make all' && ls
hostgate hold k7f3 && make
/opt/bin/hostgate hold k7f3 && make
cd x; hostgate hold && make
make -n
""".strip().split("\n")

SPLICED = {
    "swift build": "H && swift build",
    "  make": "  H && make",
    "cd sub && make": "cd sub && H && make",
    "a=1; swift build 2>&1 | tail -5; ls": "a=1; H && swift build 2>&1 | tail -5; ls",
    "cat x | make -f -": "H && cat x | make -f -",
    "git pull; make": "git pull; H && make",
    "make; ls; make test": "H && make; ls; H && make test",
    "npm ci && npm test": "H && npm ci && npm test",
    "git add . && git commit -m x; git push": "H && git add . && git commit -m x; git push",
    "make || true": "H && make || true",
    "test -d build || make": "H && test -d build || make",
    "ls; test -d a || test -d b || make": "ls; H && test -d a || test -d b || make",
    "false && make || make": "H && false && make || make",
    "bash -c 'make'": "H && bash -c 'make'",
    "(cd x && make)": "H && (cd x && make)",
    "ls && { make; }": "ls && H && { make; }",
    "for d in a b; do make -C $d; done; ls": "H && for d in a b; do make -C $d; done; ls",
    "if [ -f Makefile ]; then make; fi": "H && if [ -f Makefile ]; then make; fi",
    "[[ -f a && -d b ]] && make": "[[ -f a && -d b ]] && H && make",
    "! make": "H && ! make",
    "time make": "H && time make",
    "time (make; make test)": "H && time (make; make test)",
    "CC=gcc make": "H && CC=gcc make",
    "2>log make": "H && 2>log make",
    "ls; >log 2>&1 make": "ls; H && >log 2>&1 make",
    "make &\nwait": "H && make &\nwait",
    "cd x &&\n make\nls": "cd x &&\n H && make\nls",
    "# all\nmake # of it": "# all\nH && make # of it",
    "cat >f <<'E'\nmake\nE\nmake": "cat >f <<'E'\nmake\nE\nH && make",
    "make -f - <<E\nall:\nE\nls": "H && make -f - <<E\nall:\nE\nls",
    "ls \\\n  && make": "ls \\\n  && H && make",
    "false; make RC=$?": "H && false; make RC=$?",
    "false; ls; make RC=$?": "false; H && ls; make RC=$?",
    "make; echo $?": "H && make; echo $?",
    "ls; echo $(make)": "ls; H && echo $(make)",
    "make & p=$!; sleep 1; kill $p": "H; make & p=$!; sleep 1; kill $p",
    "cd x && make &\nkill %1": "H; cd x && make &\nkill %1",
    "ls; make & wait": "ls; H && make & wait",
    "set -e\nmake\n./deploy": "set -e\nH; make\n./deploy",
    "set -euo pipefail; cd x && make": "set -euo pipefail; H; cd x && make",
    "set -o errexit && ls; make || true": "set -o errexit && ls; H; make || true",
    "cat <<E\n\tE\nmake\nE\nmake": "cat <<E\n\tE\nmake\nE\nH && make",
    "cat <<-E\n\tE\nmake": "cat <<-E\n\tE\nH && make",
    "cat <<E\na\\\nE\nE\nmake": "cat <<E\na\\\nE\nE\nH && make",
    "cat <<'E'\na\\\nE\nmake": "cat <<'E'\na\\\nE\nH && make",
    "(( x = 1 << 2 ))\nmake": "(( x = 1 << 2 ))\nH && make",
    'x=$(echo "it\'s"); make; y=$(echo "it\'s")': 'x=$(echo "it\'s"); H && make; y=$(echo "it\'s")',
    "cd a; for i in 1; do make; echo $?; done": "cd a; H && for i in 1; do make; echo $?; done",
    "cd a; (make; echo $?)": "cd a; H && (make; echo $?)",
    "cd a; bash -c 'make; echo $?'": "cd a; H && bash -c 'make; echo $?'",
    'cd a; bash -c "make $?"': 'H && cd a; bash -c "make $?"',
    "ls & make $?": "ls & H && make $?",
    "set -e; cd x; set +e; make": "set -e; cd x; set +e; H && make",
    "set -- -e; make": "set -- -e; H && make",
    "git commit -m \"$(cat <<'EOF'\nfix: it's\nEOF\n)\" && make": (
        "git commit -m \"$(cat <<'EOF'\nfix: it's\nEOF\n)\" && H && make"
    ),
    "printf 'ä €' && make": "printf 'ä €' && H && make",
    'echo "ä €$(ls)"; make': 'echo "ä €$(ls)"; H && make',
}
UNSAFE = [
    "f() { make; }; f",
    "case $x in a) make;; esac",
    "function f { make; }; f",
    "a=(1 2); make",
]


@pytest.mark.parametrize("command", UNTOUCHED)
def test_what_needs_no_gate_has_no_place_for_one(command: str) -> None:
    assert points(command) == []


@pytest.mark.parametrize(("command", "expected"), SPLICED.items())
def test_a_hold_stands_in_front_of_what_is_gated(command: str, expected: str) -> None:
    places = points(command)
    assert places is not None
    assert spliced(command, places, "H") == expected


@pytest.mark.parametrize("command", UNSAFE)
def test_what_cannot_be_taken_apart_safely_is_left_alone(command: str) -> None:
    assert points(command) is None


def test_a_line_that_has_a_hold_is_not_given_another() -> None:
    for command in SPLICED:
        places = points(command)
        assert places
        assert points(spliced(command, places, "/opt/hostgate hold k7f3")) == []


def test_the_users_patterns_decide_what_is_gated() -> None:
    exempt = Rules(never=("make",))
    assert points("make", exempt) == []
    assert points("make; npm test", exempt) == [(6, "&&")]


READS = """
sed -n '1,80p' $(git ls-files | head -1)
echo `date` "$(git rev-parse HEAD)"
ls "$(dirname "$(which make)")"
grep -n 'def main()' $(ls)
cd $(pwd) && for f in $(ls); do cat $f; done
""".strip().split("\n")
DOUBTFUL = """
echo $(make)
echo `make`
echo '$(make)'
ls $(printf ")"; make)
ls $(echo ')'; make)
ls $(case a in a) make;; esac)
diff <(make) x
echo "$(ls; $(make))"
ls $(: # ) )
make $(ls)
cat $(<f)
""".strip().split("\n")


@pytest.mark.parametrize("command", READS)
def test_what_surely_reads_is_known_without_the_parser(command: str) -> None:
    assert surely_reads(command)
    assert points(command) == []


@pytest.mark.parametrize("command", DOUBTFUL)
def test_in_doubt_the_parser_is_asked(command: str) -> None:
    assert not surely_reads(command)


def test_what_surely_reads_is_never_gated_by_the_parser_either() -> None:
    sure = [command for command in commands() if surely_reads(command)]
    assert len(sure) > 300
    assert [command for command in sure if points(command) != []] == []


# The same, by the shell itself: whatever is put together of these, a hold that succeeds changes
# nothing, and one that does not keeps the first build from running.
PIECES = st.sampled_from(
    """make|make -j4|echo x|true|false|echo hi|cd sub|(make)|{ make; }|! make|CC=x make
    |2>/dev/null make|if true; then make; fi|for x in 1 2; do make $x; done|bash -c 'make'
    |echo $(make)|cat f|[[ -f f && -d sub ]]|make >/dev/null|make <<E\nall\nE
    |echo "a b" 'c; d'|test $? -eq 0|: # make
    |while read l; do make; done <f|case a in a) true;; esac|set -e|(( 1 << 2 ))
    |cat <<E
\tmake
\tE
E|x=$(echo "it's")|time (make)|(make; echo $?)|set +e""".replace("\n    |", "|").split("|")
)
JOINS = st.sampled_from([" && ", " || ", "; ", "\n", " | ", " &\n"])


@st.composite
def lines(draw: st.DrawFn) -> str:
    line = draw(PIECES)
    for _ in range(draw(st.integers(0, 4))):
        join = draw(JOINS)
        if "<<" in line and "\nE" not in line[line.index("<<") + 4 :]:
            join = "\n"
        if line.endswith("\nE") or "# " in line.rpartition("\n")[2]:
            join = "\n"
        line += join + draw(PIECES)
    return line


SETUP = """
make() { echo "made $*" >> "$TOP/log"; cat >/dev/null; return 3; }
hold() { echo held >> "$TOP/holds"; return $HELD; }
export -f make hold
mkdir sub; printf 'one\\ntwo\\n' > f
"""


def in_shell(line: str, folder: str, held: int) -> tuple[list[str], str, bool]:
    """What a line prints, its code with it, what it made, and whether it held."""
    top = tempfile.mkdtemp(dir=folder)
    os.mkdir(f"{top}/work")
    done = subprocess.run(
        ["bash", "-c", f"{SETUP}\n{line}\necho code $?\nwait"],
        cwd=f"{top}/work",
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", "HELD": str(held), "TOP": top},
        timeout=30,
    )
    made = " ".join(sorted(_read(f"{top}/log").splitlines()))
    return sorted(done.stdout.splitlines()), made, bool(_read(f"{top}/holds"))


def _read(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


@settings(max_examples=60, deadline=None)
@given(lines())
def test_a_hold_that_succeeds_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, line: str
) -> None:
    places = points(line)
    if not places:
        return
    folder = str(tmp_path_factory.mktemp("shell"))
    before = in_shell(line, folder, 0)
    after = in_shell(spliced(line, places, "hold"), folder, 0)
    assert after[:2] == before[:2]
    assert after[2] or not before[1], "it was made without a hold"


@settings(max_examples=60, deadline=None)
@given(lines())
def test_a_hold_that_fails_keeps_every_build_from_running(
    tmp_path_factory: pytest.TempPathFactory, line: str
) -> None:
    places = points(line)
    if not places or "||" in line or "$?" in line:
        return  # behind || it runs all the same, as the hold's failure is one of the line's
    folder = str(tmp_path_factory.mktemp("shell"))
    assert in_shell(spliced(line, places, "hold"), folder, 75)[1] == ""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.place import place


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("make", ""),
        ("cd app && make", "app"),
        ("cd /srv/app && make", "/srv/app"),
        ("cd a && cd b; make", "a/b"),
        ("(cd a && make)", "a"),
        ("pushd lib && make", "lib"),
        ("cd ~/x && make", "~/x"),
        ('cd "$DIR" && make', None),
        ("make -C lib all", "lib"),
        ("docker compose -f dev/compose.yml up", "dev/compose.yml"),
        ("env -C lib make", "lib"),
        ("uv run --directory api pytest", "api"),
        ("D=web; make -C $D", "web"),
        ("ctest --test-dir out", "out"),
        ("make -Clib", "lib"),
        ("make --directory=lib", "lib"),
        ("npm --prefix web run build", "web"),
        ("cargo build --manifest-path crates/a/Cargo.toml", "crates/a/Cargo.toml"),
        ("git -C repo pull", "repo"),
        ("go -C svc test ./...", "svc"),
        ("./gradlew -p app build", "app"),
        ("docker compose --project-directory infra build", "infra"),
        ("FOO=1 timeout 60 nice make -C lib", "lib"),
        ("bash -lc 'cd x && make'", "x"),
        ("cd a && make -C b", "a/b"),
        ("mkdir -p build && cd build && cmake ..", "build"),
        ("grep -C 3 make notes", ""),
        ("git status && cd /other && make", "/other"),
        ("ls; make -C /other", "/other"),
        ("[ -d /other ] && cd /other && make", "/other"),
        ("pwd && cd sub && npm ci && npm run build", "sub"),
        ("cd a && ls && cd ../b && make", "a/../b"),
        ("(cd /other && ls); make", ""),
        ("git -C /other pull; make", ""),
        ("cd /other & make", ""),
        ("cd /other | cat; make", ""),
        ("cd $HOME/o && make", "~/o"),
        ('D=${HOME}/o; cd "$D" && make', "~/o"),
        ("make -sC lib", "lib"),
        ("cmake --build out", "out"),
        ("bash <<EOF\ncd other\nmake\nEOF", "other"),
        ("env -C x bash -c 'cd y && make'", "x/y"),
        ("bash -euo pipefail -c 'cd x; make all'", "x"),
        ("cd app && make -j$(nproc)", "app"),
        ("for d in a b; do (cd $d && make); done", None),
        ("cd a && make 'open", "a"),
        ("cd /o && git commit -m \"$(cat <<'EOF'\nFix\n\n- don't\nEOF\n)\" && make", "/o"),
        ("[[ -d /o && -x y ]] && cd /o && make", "/o"),
        ("cd /o && f() { make; } && f", "/o"),
        ("cd a && npm run dev & cd b && make", "b"),
        ("cd /o && npm run dev > log 2>&1 & sleep 5; make", ""),
        ("cd app; true | (cd x && make)", "app/x"),
        ("nix develop -c make -C app", "app"),
        ("cd\t/o && make", "/o"),
        ('make -C "$PWD/app"', "./app"),
        ("cd app || cd src; make", "app"),
        ("ls | xargs -I{} make -C {}", None),
        ("docker --context x compose -f /o/c.yml build", "/o/c.yml"),
        ("", ""),
    ],
)
def test_a_command_says_where_it_works(command: str, where: str | None) -> None:
    assert place(command) == where


PIECES = """make cd\\x /o && || ; | ( ) { } $( ` " ' <<EOF EOF <<< > < 2>&1 $x [[ ]] case in esac
    for do done if then fi # ! = a=b f() -C & export""".split()


@given(st.lists(st.sampled_from([*PIECES, "\n", "cd x", "cd /o &&"]), max_size=25))
def test_any_line_of_shell_has_a_place_or_none(pieces: list[str]) -> None:
    for mark in (" ", ""):
        assert place(mark.join(pieces)) is None or isinstance(place(mark.join(pieces)), str)


@given(st.text(max_size=60))
def test_any_text_has_a_place_or_none(text: str) -> None:
    assert place("cd x && " + text) is None or isinstance(place("cd x && " + text), str)

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate import similarity
from hostgate.core import likeness
from hostgate.core.likeness import VERSION, compare, decode
from hostgate.core.similarity import read

WORDS = st.sampled_from(
    [
        *"make cargo build test pytest -q -x --verbose --release npm run && | cd git log".split(),
        "'a b'",
    ]
)
COMMANDS = st.lists(WORDS, max_size=8).map(" ".join) | st.text(max_size=40)


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("swift build", "  swift   BUILD ", "identical"),
        ("./deploy.sh staging", "./deploy.sh staging", "identical"),
        ("make \\\n  -j4", "make -j4", "identical"),
        ("swift build", "swift test", "both-builds: swift"),
        ("swift build", "cd app && cargo build 2>&1 | tail", "both-builds: cargo, swift"),
        ("pytest -q", "timeout 300 pytest -q", "near-identical: 100 % alike"),
        ("npm run dev", "cd web && npm run dev", "near-identical: 100 % alike"),
        ("npm run dev", "yarn dev", "near-identical: 100 % alike"),
        ("cd a && pytest", "pytest", "near-identical: 100 % alike"),
        ("cd /srv/a && pytest", "cd a && pytest", "near-identical: 100 % alike"),
        ("LOG_LEVEL=info ./x run", "LOG_LEVEL=debug ./x run", "near-identical: 100 % alike"),
        (
            "bin/rails db:migrate",
            "RAILS_ENV=test bin/rails db:migrate",
            "near-identical: 100 % alike",
        ),
        ("python manage.py runserver", "./manage.py runserver 8000", "near-identical: 100 % alike"),
        ("rm -rf x", "rm -r -f x", "near-identical: 100 % alike"),
        ("git fetch -p", "git fetch --prune", "near-identical: 100 % alike"),
        ("jest --color always x", "jest --color=never x", "near-identical: 100 % alike"),
        ("cd b && pytest", "cd a && npm run x & cd b && pytest", "near-identical: 100 % alike"),
        ("gunicorn a:b -w 2", "gunicorn a:b --workers=8", "near-identical: 100 % alike"),
        ("ctest --test-dir out -j8", "cd out && ctest -j4", "near-identical: 100 % alike"),
        ("python manage.py migrate", "python3 manage.py migrate", "near-identical: 100 % alike"),
        ("jest", "npx jest --ci", "near-identical: 50 % alike, differs in --ci"),
        ("./deploy.sh x/", "bash deploy.sh ./x", "near-identical: 100 % alike"),
        ("uvicorn a:b", "uvicorn a:b --host 0.0.0.0", "near-identical: 100 % alike"),
        ("npx serve build", "serve build -l 3000", "near-identical: 100 % alike"),
        ("npx vitest", "pnpm vitest run", "near-identical: 100 % alike"),
        ("pytest -l tests", "pytest --showlocals tests", "near-identical: 100 % alike"),
    ],
)
def test_similar_commands_are_flagged_with_the_rule_first(a: str, b: str, reason: str) -> None:
    assert similarity(a, b) == reason


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("git status", "git status"),
        ("rg cargo", "cargo build"),
        ("", ""),
        ("", "make"),
        ("pytest tests/a.py", "pytest tests/b.py"),
        ("npm run dev", "npm run lint"),
        ("git commit -m 'make it build'", "make"),
        ("echo make", "make"),
        ("npx vite --port 1", "npx vite --port 2"),
        ("npx serve build", "npx serve build -l 5000"),
        ("celery -A x worker -n a", "celery -A x worker -n b"),
        ("cat > a.py <<EOF\nx\nEOF", "cat > b.py <<EOF\ny\nEOF"),
        ("python3 - <<EOF\nprint(1)\nEOF", "python3 - <<EOF\nprint(2)\nEOF"),
        ("echo a > x.txt", "echo b > y.txt"),
        ("terraform -chdir=a apply", "terraform -chdir=b apply"),
        ("cd a && pytest -q", "cd b && pytest -q"),
        ("RAILS_ENV=test bin/rails db:migrate", "RAILS_ENV=production bin/rails db:migrate"),
        ("export PORT=1; node s.js", "export PORT=2; node s.js"),
        ("SUITE=a ./x run", "SUITE=b ./x run"),
        ("./deploy.sh --staging", "./deploy.sh --production"),
        ("git rebase --continue", "git rebase --abort"),
        ("cat a | ./load", "cat b | ./load"),
        ("psql -d x < a.sql", "psql -d x < b.sql"),
        ("for f in a b; do ./load $f; done", "for f in c d; do ./load $f; done"),
        ("python manage.py runserver", "python manage.py runserver 8001"),
        ("kubectl apply -n dev -f x/", "kubectl apply -n prod -f x/"),
        ("redis-cli -n 1 flushdb", "redis-cli -n 2 flushdb"),
        ("docker compose up --wait web", "docker compose up --wait db"),
        ("git clone --progress h/a", "git clone --progress h/b"),
        ("jest --colors a.test.js", "jest --colors b.test.js"),
        ("python train.py --parallel a", "python train.py --parallel b"),
        ("pnpm --filter a exec vitest run", "pnpm --filter b exec vitest run"),
    ],
)
def test_other_operations_are_not_flagged(a: str, b: str) -> None:
    assert similarity(a, b) is None


def test_a_misspelt_long_option_is_the_same_option() -> None:
    reason = similarity("pytest --no-headers -q x", "pytest --no-header -q x")
    assert reason is not None
    assert reason.startswith("near-identical")


def test_another_value_of_a_tuning_option_is_the_same_operation() -> None:
    assert similarity("pytest -n 4 tests", "pytest -n auto tests")


@given(COMMANDS, COMMANDS)
def test_similarity_is_symmetric_and_never_raises(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)


@given(COMMANDS)
def test_a_command_is_identical_to_itself_unless_it_reads(command: str) -> None:
    reading = read(command)
    expected = None if reading.category == "read" or not reading.text else "identical"
    assert similarity(command, command) == expected


@given(COMMANDS, COMMANDS)
def test_a_reading_that_was_stored_compares_as_the_command_does(a: str, b: str) -> None:
    stored = decode(a, read(a).encode())
    assert stored is not None
    assert compare(stored, read(b)) == similarity(a, b)


@pytest.mark.parametrize("data", [None, [], [VERSION], [VERSION, 1, "build", []], "x", {}])
def test_what_is_no_stored_reading_is_none(data: object) -> None:
    assert decode("make", data) is None


def test_a_reading_of_any_command_is_bounded() -> None:
    values = " ".join(["a" * 1000] * 1000)
    words = "$f " * 650
    said = read(f"for f in {values}; do ./mytool {words}; done").encode()
    assert len(str(said)) < 200_000
    assert len(str(read("x " + "y" * 100_000).encode())) < 1000


@pytest.mark.parametrize("shape", ["--o{} ", "/a/b{}/c ", "a/b{}/c ", "-{} "])
def test_many_words_are_not_compared_with_each_other_by_spelling(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*words: str) -> bool:
        raise AssertionError("millions of pairs take 15 s")

    for name in ("_is_one_path", "_is_abbreviated"):
        monkeypatch.setattr(likeness, name, refuse)
    monkeypatch.setattr("rapidfuzz.distance.Levenshtein.normalized_similarity", refuse)
    one = "x " + "".join(shape.format(number) for number in range(400))
    other = "x " + "".join(shape.format(number) for number in range(400, 800))
    assert similarity(one, other) == similarity(other, one)


def test_without_rapidfuzz_spelling_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    assert similarity("x a --verbos", "x a --verbose") is not None
    assert similarity("jest --runinband", "jest --runInBan") is None


OPTIONS = st.lists(
    st.sampled_from(
        "-a -f -af -p -v -vp --filter --force --fore --file --prune --progress".split()
    ),
    max_size=5,
).map(lambda options: " ".join(["docker prune", *options]))


@given(OPTIONS, OPTIONS)
def test_options_in_any_spelling_are_symmetric(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)

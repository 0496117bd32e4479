from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate import Summary, classify
from hostgate.core.summary import CATEGORIES

EXAMPLES = """
swift build -c release                          | build  | swift
xcodebuild -scheme Notes build                  | build  | xcodebuild
/usr/bin/make -j4 check                         | build  | make
FOO=1 make                                      | build  | make
cd app && FOO=1 timeout 600 ./gradlew build 2>&1 \\| tail -20 | build | gradlew
sudo -E make install                            | build  | make
npm --prefix web run build                      | build  | npm
npm ci                                          | build  | npm
cargo clippy --all                              | build  | cargo
go -C svc vet ./...                             | build  | go
bash -lc 'make -j4 && ./smoke'                  | build  | make
python -m pytest -q                             | test   | pytest
docker compose up --build                       | build  | docker
docker compose up                               | server | docker
find . -name '*.c' -exec gcc -c {} \\;           | build  | gcc
git bisect run make test                        | build  | make
hyperfine 'cargo build'                         | build  | cargo
tmux new -d 'npm run build'                     | build  | npm
nix develop -c cargo test                       | build  | cargo
bash scripts/build.sh                           | build  | bash
./build                                         | build  | build
python3 -m build                                | build  | build
tsc -w                                          | server | tsc
yarn jest --ci                                  | test   | jest
php vendor/bin/phpunit                          | test   | phpunit
npm i -g typescript                             | other  | npm
cargo install --path .                          | build  | cargo
cargo install ripgrep                           | other  | cargo
rsync -avn a/ b/                                | read   | rsync
find src -exec grep -l x {} +                   | read   | find
nx affected -t lint,build                       | build  | nx
npm run dev                                     | server | npm
tsc --watch                                     | server | tsc
pip install -r requirements.txt                 | build  | pip
rm -rf build                                    | other  | rm
./scripts/deploy.sh staging                     | other  | deploy.sh
git commit -m "run make later"                  | other  | git
ssh host make                                   | other  | ssh
rg cargo                                        | read   | rg
which make                                      | read   | which
cat Makefile                                    | read   | cat
git log --grep='make build'                     | read   | git
make -n                                         | read   | make
cargo --version                                 | read   | cargo
echo "npm run build"                            | read   | echo
# make build                                    | other  | #
make 'an open quote                             | other  | make
"""
ROWS = [
    [field.strip().replace("\\|", "|") for field in line.replace("\\|", "\0").split("|")]
    for line in EXAMPLES.strip().splitlines()
]


@pytest.mark.parametrize(("command", "category", "word"), ROWS)
def test_the_common_tools_are_told_apart(command: str, category: str, word: str) -> None:
    assert classify(command.replace("\0", "|")) == Summary(word, category)


def test_what_stands_in_a_here_document_is_data() -> None:
    assert classify("cat > notes <<'EOF'\nmake all\nEOF").category == "other"
    assert classify("bash -s <<EOF\nmake all\nEOF").category == "build"
    assert classify("python3 - <<EOF\nmake all\nEOF").category == "other"
    assert classify("cat > config <<EOF\nCC=clang\nEOF\nmake").category == "build"


@given(st.text(max_size=60))
def test_any_text_has_a_category(text: str) -> None:
    assert classify(text).category in CATEGORIES

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate import Summary, classify
from hostgate.core import parser, summary
from hostgate.core.rules import CATEGORIES
from hostgate.core.shell import LONGEST, Part

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
make -nj8                                       | read   | make
make -Clinux                                    | build  | make
gcc -print-file-name=libc.so                    | read   | gcc
arm-none-eabi-size app.elf                      | read   | arm-none-eabi-size
ar t libx.a                                     | read   | ar
ccache -s                                       | read   | ccache
cmake --open build                              | other  | cmake
meson format -i meson.build                     | other  | meson
pants lint src/app:test                         | other  | pants
pants lint check ::                             | build  | pants
bazel --output_base /tmp/b query //...          | read   | bazel
conan remote list                               | read   | conan
colcon test                                     | test   | colcon
go run ./cmd/migrate --dry-run                  | build  | go
swift run demo --help                           | build  | swift
go env -w GOPROXY=direct                        | other  | go
go tool cover -func=c.out                       | read   | go
cabal install hlint                             | other  | cabal
cargo llvm-cov report                           | read   | cargo
dune build @fmt                                 | other  | dune
swift package add-dependency x                  | other  | swift
swift package purge-cache                       | other  | swift
xcrun -f clang                                  | read   | xcrun
xcodebuild -license accept                      | other  | xcodebuild
xcrun simctl io booted screenshot a.png         | other  | simctl
gradle tasks --group build                      | read   | gradle
gradle wrapper --gradle-version 8.5             | other  | gradle
gradle spotlessApply                            | other  | gradle
mvn dependency:analyze                          | build  | mvn
sbt +test                                       | build  | sbt
sbt core/scalafmt                               | other  | sbt
sbt "project core" test                         | build  | sbt
mill resolve _                                  | read   | mill
lein with-profile +dev test                     | build  | lein
dotnet sln App.sln list                         | read   | dotnet
devenv up                                       | server | devenv
flutter pub run build_runner watch              | server | flutter
fvm list                                        | read   | fvm
pio check                                       | other  | pio
west -v build                                   | build  | west
idf.py erase-flash                              | other  | idf.py
openocd -f b.cfg -c "program a.elf verify exit" | other  | openocd
probe-rs run a.elf                              | server | probe-rs
screen /dev/ttyUSB0 115200                      | server | screen
tectonic -X watch                               | server | tectonic
source build.env                                | other  | source
./scripts/upload-build.sh                       | other  | upload-build.sh
bundle-audit check                              | other  | bundle-audit
just install-hooks                              | other  | just
setarch x86_64 -R make                          | build  | make
scl enable gcc-toolset-12 'make -j4'            | build  | make
distrobox enter dev -- ninja                    | build  | ninja
which make                                      | read   | which
cat Makefile                                    | read   | cat
git log --grep='make build'                     | read   | git
make -n                                         | read   | make
cargo --version                                 | read   | cargo
echo "npm run build"                            | read   | echo
npx expo install expo-camera                    | build  | expo
npx tsc --init                                  | other  | tsc
ng run web:build:production                     | build  | ng
turbo watch build                               | server | turbo
vite build -w                                   | server | vite
npx tsx --test src/a.ts                         | test   | tsx
npx playwright merge-reports blobs              | other  | playwright
ionic cap sync ios                              | build  | ionic
node --check app.js                             | read   | node
pip config set global.timeout 60                | other  | pip
pip-sync requirements.txt                       | build  | pip-sync
poetry version patch                            | other  | poetry
poetry config virtualenvs.in-project true       | other  | poetry
uv lock --check                                 | read   | uv
python setup.py test                            | test   | python
python -m py_compile app.py                     | other  | py_compile
locust --headless -u 10                         | test   | locust
snakemake -n                                    | read   | snakemake
bundle config set path vendor/bundle            | other  | bundle
bundle exec rake                                | test   | rake
rake rubocop spec                               | test   | rake
php artisan pail                                | read   | artisan
./vendor/bin/sail npm run build                 | build  | npm
mix credo --strict                              | other  | mix
terraform validate                              | read   | terraform
terragrunt run-all plan                         | read   | terragrunt
kustomize edit set image a=b                    | other  | kustomize
gh project list                                 | read   | gh
git config --unset user.name                    | other  | git
git branch --set-upstream-to=origin/main        | other  | git
git submodule                                   | read   | git
kill -0 $PID                                    | read   | kill
crontab -l                                      | read   | crontab
sort -o a.txt a.txt                             | other  | sort
brew services list                              | read   | brew
task lint build                                 | build  | task
npm run serve:dist                              | server | npm
npm run setup:test                              | other  | npm
npm run api:types                               | other  | npm
npm run prod:deploy                             | other  | npm
npm run test:no-watch                           | build  | npm
bun run scripts/build.ts                        | build  | bun
bun run test/helpers/seed.ts                    | other  | bun
python tests/test_api.py                        | test   | python
ruby test/models/user_test.rb                   | test   | ruby
scripts/dev-setup.sh                            | other  | dev-setup.sh
scripts/wait-for-build.sh                       | other  | wait-for-build.sh
Start-Sleep 5                                   | other  | Start-Sleep
npm ls -g                                       | read   | npm
nx run-many --target=build --all                | build  | nx
npm run tauri build                             | build  | npm
yarn run vite build                             | build  | yarn
npm run svelte-check                            | build  | npm
npm run cypress:open                            | server | npm
python manage.py makemigrations --check         | read   | python
python manage.py migrate --plan                 | read   | python
python x.py data.json                           | other  | python
pytest --collect-only -q > tests.txt            | other  | pytest
watch -n1 kubectl get pods                      | read   | kubectl
watch -n 60 make                                | server | watch
dotenv -f .env run pytest                       | test   | pytest
py-spy record -o a.svg -- pytest                | test   | pytest
foreman run rake build                          | build  | rake
wsl make -j8                                    | build  | make
bash -n scripts/build.sh                        | read   | bash
just MODE=release build                         | build  | just
npx changeset version                           | other  | changeset
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


@pytest.mark.parametrize(
    "command",
    [
        "bash -euo pipefail -c 'make all'",
        "bash -o pipefail -c make",
        "bash --rcfile x -c 'make'",
        "sh -o errexit -c 'make'",
        "bash -c make",
        "bash -s <<< make",
        "bash -euo pipefail <<'EOF'\ncd web\nmake\nEOF",
        "echo 'make all' | sh",
        "printf 'cd x\\nmake\\n' | bash",
        "command time -v make",
        "script -qec 'make all' /dev/null",
        "flock /tmp/l -c 'make all'",
        "flock /tmp/l make",
        "git submodule foreach --recursive make",
        "git rebase -x 'make' main",
        "${MAKE:-make} all",
        "CMD='make -j4'; $CMD all",
        "parallel 'cd {} && make' ::: a b",
        "docker run -i -v $PWD:/w -w /w img bash <<'EOF'\nmake\nEOF",
        'docker run -itv "$(pwd)":/w img make',
        "trap 'make clean' EXIT",
        'eval "make all"',
        "build() { make; }; build",
        "case $1 in a) make;; esac",
        "x=$(make -s print-version)",
        "diff <(make -s a) <(make -s b)",
        "if ! make; then exit 1; fi",
        "coproc make",
        "tmux send-keys -t x 'make' Enter",
        "cmd.exe //c 'make'",
        "cat > config.mk <<'EOF'\n" + "X=1\n" * 2000 + "EOF\nmake",
    ],
)
def test_whatever_way_a_shell_runs_it_make_is_a_build(command: str) -> None:
    assert classify(command) == Summary("make", "build")


@pytest.mark.parametrize(
    "command",
    [
        "perl -ne 'print if /make/' f",
        "ruby -e 'puts %q(make all)'",
        "osascript -e 'display notification \"make done\"'",
        "bash -n build.sh",
        "bash build.sh --help",
        "command -v make",
        "docker exec web make",
        "docker run --rm img make",
        "docker run -v cache:/w -w /w img make",
        "ssh host 'cd x && make'",
        "kubectl exec pod -- make",
        "unused() { make; }; ls",
        "tmux send-keys -t x 'make'",
        "make -nj8",
        "cat <<EOF\n$(date) make\nEOF",
        "alias m=make",
    ],
)
def test_what_only_speaks_of_make_or_runs_it_elsewhere_is_no_build(command: str) -> None:
    assert classify(command).category in ("read", "other")


def test_variables_do_not_grow_a_line_beyond_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def counting(text: str) -> list[Part]:
        read.append(len(text))
        return parser.parse(text)

    monkeypatch.setattr(summary, "parse", counting)
    a = "a;" * 150
    line = f"A='{a}'; eval \"B='{'${A}' * 75}'; eval '{'${B}' * 75}'\""
    assert classify(line).category in CATEGORIES
    assert len(read) > 1 and sum(read) < 10 * LONGEST  # it grew to hundreds of megabytes


def test_what_stands_in_a_here_document_is_data() -> None:
    assert classify("cat > notes <<'EOF'\nmake all\nEOF").category == "other"
    assert classify("bash -s <<EOF\nmake all\nEOF").category == "build"
    assert classify("python3 - <<EOF\nmake all\nEOF").category == "other"
    assert classify("cat > config <<EOF\nCC=clang\nEOF\nmake").category == "build"


@given(st.text(max_size=60))
def test_any_text_has_a_category(text: str) -> None:
    assert classify(text).category in CATEGORIES


PLAIN = ["make -j4", "cargo test", "npm run build", "pytest -q", "npm run dev", "git status", "./x"]
WRAPPERS = [
    "FOO=1 {}", "sudo -E {}", "time {}", "nice -n 5 {}", "timeout -k 5 600 {}", "nohup {}",
    "env A=b {}", "xcrun {}", "npx {}", "uv run {}", "poetry run {}", "bundle exec {}",
    "cd dir && {}", "{} 2>&1 | tail -20", "({})", "{{ {}; }}", "{} > out.log", "command {}",
    "source env.sh && {}", "set -e; {}", "hostgate run --title x -- {}", "stdbuf -oL {}",
]  # fmt: skip


@given(st.sampled_from(PLAIN), st.lists(st.sampled_from(WRAPPERS[:12]), max_size=8))
def test_a_chain_of_wrappers_changes_neither_word_nor_category(
    command: str, chain: list[str]
) -> None:
    wrapped = command
    for wrapper in chain:
        wrapped = wrapper.format(wrapped)
    assert classify(wrapped) == classify(command)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("command", PLAIN)
def test_what_changes_nothing_is_looked_through(command: str, wrapper: str) -> None:
    assert classify(wrapper.format(command)) == classify(command)


@pytest.mark.parametrize("command", PLAIN[:5])
@pytest.mark.parametrize(
    "data", ["echo '{}'", "git commit -m '{}'", "rg '{}' src", "true # {}", "cat <<EOF\n{}\nEOF"]
)
def test_a_command_that_is_quoted_as_data_is_no_build(command: str, data: str) -> None:
    assert classify(data.format(command)).category in ("read", "other")


SHAPES = [
    "make 'a b' && ", "sudo ", "(", "$(", "a=b ", "'x' ", "php ", "python -m ", "bash -c '",
    "env A=b ", "timeout 5 ", "-x ", "x | ", "x=1; y=$x; ", "for i in a; do ", "<<E ",
    "git -C a ",
    "find . -exec ", "docker run ", "yarn workspace a ", "npm run ", "ng run ", "sh gradlew ",
    "eval ", "parallel ", "f() { ", "echo a | sh; ", "é", "\udc80 ",
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_a_line_of_100_kilobytes_is_read_in_linear_time(shape: str) -> None:
    def seconds(length: int) -> float:
        line = (shape * length)[:length]
        begin = time.process_time()
        classify(line)
        return time.process_time() - begin

    small = max(min(seconds(10_000) for _ in range(3)), 0.001)
    assert seconds(100_000) < 40 * small  # quadratic would be 100 times


@given(st.binary(max_size=80))
def test_any_bytes_have_a_category(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    assert classify(text) == classify(text)
    assert classify(text).category in CATEGORIES

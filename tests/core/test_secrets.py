from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.text import _hinted, join, mask, mask_arguments

SECRET = "hunter2xyz"


@pytest.mark.parametrize(
    "command",
    [
        f"deploy --token={SECRET}",
        f"deploy --token {SECRET}",
        f"deploy --api-key {SECRET} --region eu",
        f"deploy --password '{SECRET} {SECRET}'",
        f"FOO_TOKEN={SECRET} deploy",
        f'DB_PASSWORD="{SECRET} x" deploy',
        f"env AWS_SECRET_ACCESS_KEY={SECRET} deploy",
        f"curl -H 'Authorization: Bearer {SECRET}' https://x",
        f'curl -H "Authorization: token {SECRET}" https://x',
        f"curl -H 'X-Api-Key: {SECRET}' https://x",
        f"curl -u me:{SECRET} https://x",
        f"curl --user me:{SECRET} https://x",
        f"git clone https://me:{SECRET}@example.org/x.git",
        f"psql postgres://me:{SECRET}@db/x",
        f"mysql -u root -p{SECRET} db",
        f"sshpass -p {SECRET} ssh host",
        f"bash -c 'export PASSWORD={SECRET}; make'",
        f'curl -d \'{{"password": "{SECRET}"}}\' https://x',
        f"login '--password={SECRET} {SECRET}'",
        f"openssl rsa -passin pass:{SECRET}",
        f"redis-cli -a {SECRET} ping",
        f"docker login -u me -p {SECRET} registry",
        f"git clone https://{SECRET}{SECRET}@example.org/x.git",
        f"psql postgres://me:a/{SECRET}@db/x",
        f"deploy --pwd={SECRET}",
        f"deploy --db-pw {SECRET}",
        f"curl --user=me:{SECRET} x",
        f"curl --oauth2-bearer {SECRET} x",
        f"make TOKEN:={SECRET}",
        f"TOKEN+={SECRET} make",
        f"setenv API_TOKEN {SECRET}",
        f"set -gx API_TOKEN {SECRET}",
        f"npm config set //registry/:_authToken {SECRET}",
        f"aws configure set aws_secret_access_key {SECRET}",
        f"curl -HAuthorization:{SECRET} x",
        f"MYAPP_KEY={SECRET} make",
        "gh auth --with ghp_abcdefghijklmnop1234567890",
        "aws configure set AKIAABCDEFGHIJKLMNOP",
    ],
)
def test_what_looks_like_a_secret_is_masked(command: str) -> None:
    masked = mask(command)
    assert SECRET not in masked
    assert "ghp_a" not in masked
    assert "AKIAA" not in masked
    assert "***" in masked


@pytest.mark.parametrize(
    "command",
    [
        "make -j8",
        "npm run build -- --key-value",
        "git log --author=me",
        "cd $PWD && make",
        "PWD=/tmp make",
        "pytest tests/test_tokens.py",
        "cargo build --keep-going",
        "ssh -i ~/.ssh/id host make",
        "cut -d: -f1 /etc/passwd",
        "git commit -m 'add basic auth'",
        "mkdir -p build",
        "docker run -u 1000:1000 x",
        "set -e",
        "sudo -u me make",
        "ssh -p 22 host",
    ],
)
def test_what_does_not_is_left_alone(command: str) -> None:
    assert mask(command) == command


@pytest.mark.parametrize(
    "argv",
    [
        ["deploy", f"--token={SECRET} with ' quotes and {SECRET}"],
        ["deploy", "--password", f"{SECRET} ' {SECRET}"],
        ["env", f"API_KEY=a b {SECRET}", "make"],
        ["sh", "-c", f"curl -u me:{SECRET} https://x"],
        ["curl", "-u", f"me:{SECRET}", "https://x"],
        ["curl", "--user", f"me:{SECRET} x", "https://x"],
        ["curl", "-H", "Authorization:", f"Basic {SECRET}"],
        ["mysql", "-u", "root", f"-p{SECRET}", "db"],
        ["/usr/bin/mysqldump", f"-p{SECRET} x", "db"],
        ["sshpass", "-p", f"{SECRET} x", "ssh", "host"],
        ["docker", "login", "-p", SECRET],
        ["redis-cli", "-a", SECRET],
        ["sshpass", f"-p{SECRET}", "ssh", "host"],
        ["curl", "--oauth2-bearer", SECRET],
        ["curl", f"--user=me:{SECRET} x"],
        ["deploy", "--client-secret", f"-{SECRET}"],
        ["openssl", "rsa", "-passin", f"pass:{SECRET}"],
    ],
)
def test_an_argument_is_masked_whole(argv: list[str]) -> None:
    assert SECRET not in join(mask_arguments(argv))


def test_the_option_behind_a_secret_option_is_none() -> None:
    argv = ["deploy", "--token", "--force", "--password", "-v", "x"]
    assert mask_arguments(argv) == argv


@pytest.mark.parametrize(
    "word", "true --update author task-list monkey bypass http://x a:b".split()
)
def test_everyday_words_do_not_even_load_the_patterns(word: str) -> None:
    assert not _hinted(word)


@given(st.lists(st.text(max_size=20), max_size=5))
def test_masking_never_raises_and_is_stable(argv: list[str]) -> None:
    once = mask_arguments(argv)
    assert mask_arguments(once) == once


@pytest.mark.parametrize(
    "piece",
    ["token ", "--token ", "://a:", "password=", "-u a:", "'TOKEN=", "mysql -p ", '"x=', "$("],
)
def test_a_hostile_text_does_not_blow_up(piece: str) -> None:
    begin = time.process_time()
    mask("token " + piece * (16_000 // len(piece)))
    assert time.process_time() - begin < 10  # an exponential pattern would not come back

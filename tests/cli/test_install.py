from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from support import DEADLINE, HOSTGATE, Host

from hostgate.agents import AGENTS
from hostgate.agents.codex import digest

SETTINGS = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".copilot/hooks/hostgate.json",
    "opencode": ".config/opencode/plugins/hostgate.js",
    "qwen": ".qwen/settings.json",
    "cursor": ".cursor/hooks.json",
    "windsurf": ".codeium/windsurf/hooks.json",
}
THEIRS = """\
{
    // what I like
    "model": "opus",   "permissions": { "allow": ["Bash(make:*)"] },
    "hooks": {
        "PreToolUse": [
            {"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]}, // mine
        ],
    },
    "sandbox": {"enabled": true}
}
"""


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_installed_is_taken_out_again_to_the_last_file(host: Host, agent: str) -> None:
    done = host.run("install", agent)
    assert (done.returncode, done.stderr) == (0, "")
    written = (host.home / SETTINGS[agent]).read_text()
    assert HOSTGATE in written and (agent == "opencode" or f"hook {agent}" in written)
    before = files(host.home)
    again = host.run("install", agent)
    assert "installed already" in again.stdout and files(host.home) == before
    assert host.run("uninstall", agent).returncode == 0
    assert files(host.home) == {}
    assert "no hook is installed" in host.run("uninstall", agent).stdout


@pytest.mark.parametrize("agent", AGENTS)
def test_a_project_s_settings_are_another_place(host: Host, agent: str) -> None:
    assert host.run("install", agent, "--project").returncode == 0
    assert files(host.home) == {}
    assert len(files(host.project)) == 1
    assert host.run("uninstall", agent, "--project").returncode == 0
    assert files(host.project) == {}


@pytest.fixture
def theirs(host: Host) -> Path:
    path = host.home / SETTINGS["claude"]
    path.parent.mkdir()
    path.write_text(THEIRS)
    path.chmod(0o640)
    return path


def test_everything_else_stays_to_the_letter(host: Host, theirs: Path) -> None:
    host.run("install", "claude")
    text = theirs.read_text()
    left = [line for line in THEIRS.splitlines() if line.strip(" ,}]") and line not in text]
    assert [line.strip() for line in left] == [  # these two got an item each
        '"model": "opus",   "permissions": { "allow": ["Bash(make:*)"] },',
        '"sandbox": {"enabled": true}',
    ]
    assert f'["Bash(make:*)", "Bash({HOSTGATE} hold:*)"]' in text
    assert f'"allowWrite": ["{host.state}"]' in text
    assert theirs.with_name("settings.json.before-hostgate").read_text() == THEIRS
    assert theirs.stat().st_mode & 0o777 == 0o640
    host.run("uninstall", "claude")
    assert files(theirs.parent) == {"settings.json": THEIRS}


def test_what_somebody_changed_since_is_not_undone(host: Host, theirs: Path) -> None:
    host.run("install", "claude")
    theirs.write_text(theirs.read_text().replace('"opus"', '"sonnet"'))
    host.run("uninstall", "claude")
    assert theirs.read_text() == THEIRS.replace('"opus"', '"sonnet"')


def test_a_hook_of_an_older_path_is_replaced(host: Host, theirs: Path) -> None:
    host.run("install", "claude")
    good = theirs.read_text()
    theirs.write_text(good.replace(HOSTGATE, "/old/bin/hostgate"))
    assert "calls /old/bin/hostgate, which is not there" in host.run("doctor").stdout
    host.run("install", "claude")
    assert theirs.read_text() == good
    host.run("uninstall", "claude")
    assert theirs.read_text() == THEIRS


def test_dry_run_shows_a_diff_and_changes_nothing(host: Host, theirs: Path) -> None:
    done = host.run("install", "claude", "--dry-run")
    assert f'+                        "command": "{HOSTGATE} hook claude",' in done.stdout
    assert '-    "sandbox": {"enabled": true}' in done.stdout
    assert files(theirs.parent) == {"settings.json": THEIRS}
    host.run("install", "claude")
    assert "hook claude" in host.run("uninstall", "claude", "--dry-run").stdout
    assert "hook claude" in theirs.read_text()
    assert host.run("install", "claude", "--dry-run").stdout == "nothing would change\n"
    (host.home / ".qwen").mkdir()
    (host.home / SETTINGS["qwen"]).write_text("{}")  # no line end
    assert host.run("install", "qwen", "--dry-run").stdout.endswith("}\n")


@pytest.mark.parametrize(
    "text", ["{", '{"hooks": 3}', '{"hooks": {"PreToolUse": {}}}', '{"a": 1, "a": 2}', "\x00", "[]"]
)
def test_settings_that_cannot_be_read_are_left_alone_and_named(
    host: Host, theirs: Path, text: str
) -> None:
    theirs.write_text(text)
    for verb in ("install", "uninstall"):
        done = host.run(verb, "claude")
        assert theirs.read_text() == text
    assert host.run("install", "claude").returncode == 125
    assert str(theirs) in host.run("install", "claude").stderr
    assert done.stderr.count("\n") <= 1
    assert list(theirs.parent.iterdir()) == [theirs]


def test_bytes_that_are_no_text_and_toml_that_is_none_are_named_too(host: Host) -> None:
    config = host.home / ".codex/config.toml"
    config.parent.mkdir()
    for data in (b"\xff\xfe", b"a = = b"):
        config.write_bytes(data)
        done = host.run("install", "codex")
        assert done.returncode == 125 and str(config) in done.stderr
        assert config.read_bytes() == data
        assert not (host.home / ".codex/hooks.json").exists()  # all or nothing


def test_codex_s_own_configuration_keeps_its_comments(host: Host) -> None:
    config = host.home / ".codex/config.toml"
    config.parent.mkdir()
    text = '# mine\nmodel = "x"  # yes\n\n[sandbox_workspace_write]\nwritable_roots = ["/a"]\n'
    config.write_text(text)
    done = host.run("install", "codex")
    assert "accept the hook" in done.stdout
    assert config.read_text() == text.replace('"/a"', f'"/a", "{host.state}"')
    assert tomllib.loads(config.read_text())["model"] == "x"
    assert host.state.is_dir()  # it must be there before the sandbox begins
    rule = (host.home / ".codex/rules/hostgate.rules").read_text()
    assert rule == f'prefix_rule(pattern=["{HOSTGATE}", "hold"], decision="allow")\n'
    host.run("uninstall", "codex")
    assert files(host.home) == {".codex/config.toml": text}


def test_opencode_s_rules_get_one_more_where_there_are_any(host: Host) -> None:
    config = host.home / ".config/opencode/opencode.json"
    config.parent.mkdir(parents=True)
    config.write_text('{"permission": {"bash": {"*": "ask"}}}')
    host.run("install", "opencode")
    rules = json.loads(config.read_text())["permission"]["bash"]
    assert list(rules.items()) == [("*", "ask"), (f"{HOSTGATE} hold *", "allow")]
    host.run("uninstall", "opencode")
    assert config.read_text() == '{"permission": {"bash": {"*": "ask"}}}'


def test_a_link_to_the_settings_stays_one(host: Host) -> None:
    real = host.folder / "dotfiles.json"
    real.write_text("{}\n")
    link = host.home / SETTINGS["claude"]
    link.parent.mkdir()
    link.symlink_to(real)
    host.run("install", "claude")
    assert link.is_symlink() and "hook claude" in real.read_text()
    host.run("uninstall", "claude")
    assert link.is_symlink() and real.read_text() == "{}\n"
    assert sorted(path.name for path in host.folder.iterdir() if path.is_file()) == [
        "dotfiles.json"
    ]


def test_two_installers_at_once_lose_nothing(host: Host, theirs: Path) -> None:
    started = [host.start("install", "claude") for _ in range(6)]
    assert [one.wait(DEADLINE) for one in started] == [0] * 6
    assert theirs.read_text().count("hook claude") == 1
    host.run("uninstall", "claude")
    assert theirs.read_text() == THEIRS


def test_detect_lists_the_agents_that_are_here(host: Host) -> None:
    (host.home / ".codex").mkdir()
    programs = host.folder / "bin"
    programs.mkdir()
    (programs / "gemini").write_text("#!/bin/sh\n")
    (programs / "gemini").chmod(0o755)
    path = f"{programs}:{Path(HOSTGATE).parent}:/usr/bin:/bin"
    lines = host.run("install", "--detect", PATH=path).stdout.splitlines()
    found = {line.split()[0]: "not found" not in line for line in lines}
    assert found.keys() == AGENTS.keys()
    assert found["codex"] and found["gemini"] and not found["windsurf"]


@pytest.mark.parametrize(
    "words",
    [
        ["install"],
        ["install", "nobody"],
        ["uninstall"],
        ["install", "codex", "--user", "--project"],
    ],
)
def test_bad_usage_is_one_line(host: Host, words: list[str]) -> None:
    done = host.run(*words)
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr.count("\n") == 1


def test_doctor_tells_of_each_installed_agent(host: Host, theirs: Path) -> None:
    assert "claude" not in host.run("doctor").stdout
    host.run("install", "claude")
    host.run("install", "codex")
    said = host.run("doctor").stdout
    assert f"ok   claude: hook in {theirs}, last ran never, last held never" in said
    assert "odd  codex: its hook is not accepted" in said
    payload = {"session_id": "S", "tool_name": "Bash", "tool_input": {"command": "make"}}
    hook = host.popen([HOSTGATE, "hook", "claude"], None, {}, stdin=json.dumps(payload))
    hook.communicate(timeout=DEADLINE)
    said = host.run("doctor").stdout
    assert "last ran 0 s ago, last held 0 s ago" in said or "1 s ago" in said
    bad = host.popen([HOSTGATE, "hook", "claude"], None, {}, stdin="{")
    bad.communicate(timeout=DEADLINE)
    assert "hook.log: 1 line, the last: " in host.run("doctor").stdout


def test_doctor_warns_of_another_hook_that_sees_commands(host: Host, theirs: Path) -> None:
    host.run("install", "claude")
    assert "another hook" not in host.run("doctor").stdout  # fmt sees edits only
    theirs.write_text(theirs.read_text().replace('"Edit"', '"Edit|Bash"'))
    assert "odd  claude: another hook sees commands too (fmt)" in host.run("doctor").stdout


def test_doctor_knows_whether_codex_has_accepted_the_hook(host: Host) -> None:
    host.run("install", "codex")
    path = host.home / ".codex/hooks.json"
    hook = json.loads(path.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]
    config = host.home / ".codex/config.toml"
    config.write_text(
        f'{config.read_text()}\n[hooks.state."{path}:pre_tool_use:0:0"]\n'
        f'trusted_hash = "{digest(hook)}"\n'
    )
    assert "ok   codex: its hook is accepted" in host.run("doctor").stdout
    path.write_text(path.read_text().replace("900", "800"))
    assert "odd  codex: its hook is not accepted" in host.run("doctor").stdout


def test_the_plugin_of_opencode_is_a_program_that_node_can_read(host: Host) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    host.run("install", "opencode")
    plugin = host.home / SETTINGS["opencode"]
    module = plugin.with_suffix(".mjs")
    module.write_text(
        plugin.read_text()
        + """
const plugin = await Hostgate({ directory: process.cwd() })
const output = { args: { command: "make; echo done", timeout: 600000 } }
await plugin["tool.execute.before"]({ tool: "bash", sessionID: "S" }, output)
console.log(JSON.stringify(output.args))
const env = {}
await plugin["shell.env"]({ sessionID: "S" }, { env })
console.log(JSON.stringify(env))
await plugin["tool.execute.before"]({ tool: "edit", sessionID: "S" }, output)
"""
    )
    done = subprocess.run(
        [node, module], cwd=host.project, env=host.environment, capture_output=True, text=True
    )
    arguments, environment = [json.loads(line) for line in done.stdout.splitlines()]
    (claim,) = host.claims()
    held = f"{HOSTGATE} hold {claim['id']} && make; echo done"
    assert arguments == {"command": held, "timeout": 600000}
    assert environment == {"OPENCODE_SESSION_ID": "S"} and claim["session"] == "S"


@pytest.mark.parametrize(
    "text",
    [
        "sandbox_workspace_write.network_access = true\n",
        "sandbox_workspace_write = {network_access = true}\n",
        '[sandbox_workspace_write]\nwritable_roots = [\n  "/a", # mine\n]\n',
    ],
)
def test_toml_in_every_shape_is_left_as_it_was(host: Host, text: str) -> None:
    config = host.home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text(text)
    host.run("install", "codex")
    more = '\n[hooks.state."x:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n'
    config.write_text(config.read_text() + more)  # as Codex does when a person accepts a hook
    done = host.run("uninstall", "codex")
    assert (done.returncode, done.stderr) == (0, "")
    assert config.read_text() == text + more
    assert not (host.home / ".codex/hooks.json").exists()


@pytest.mark.parametrize(
    "text",
    ['sandbox_workspace_write = "x"', "[[sandbox_workspace_write]]",
     '[sandbox_workspace_write]\nwritable_roots = "x"'],
)  # fmt: skip
def test_toml_of_another_shape_is_named_and_left_alone(host: Host, text: str) -> None:
    config = host.home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text(text)
    done = host.run("install", "codex")
    assert done.returncode == 125 and "sandbox_workspace_write" in done.stderr
    assert files(host.home) == {".codex/config.toml": text}


@pytest.mark.parametrize("there", [True, False])
def test_a_link_to_nothing_or_to_an_empty_file_stays_what_it_was(host: Host, there: bool) -> None:
    link = host.home / SETTINGS["claude"]
    link.parent.mkdir()
    real = host.folder / "dotfiles.json"
    if there:
        real.write_text("")
    link.symlink_to(real)
    host.run("install", "claude")
    assert "hook claude" in real.read_text()
    host.run("uninstall", "claude")
    assert link.is_symlink() and real.exists() == there
    assert not there or real.read_text() == ""


def test_what_is_no_file_is_named_and_left_alone(host: Host) -> None:
    path = host.home / SETTINGS["claude"]
    path.parent.mkdir()
    os.mkfifo(path)
    done = host.run("install", "claude")
    assert done.returncode == 125 and "no regular file" in done.stderr
    path.unlink()
    path.mkdir()
    assert str(path) in host.run("install", "claude").stderr


def test_what_only_looks_like_hostgate_s_is_somebody_s_own(host: Host) -> None:
    path = host.home / SETTINGS["claude"]
    path.parent.mkdir()
    text = json.dumps(
        {
            "permissions": {"allow": ["Bash(echo my hostgate hold docs)"]},
            "hooks": {
                "PreToolUse": [
                    {"hooks": [{"type": "command", "command": "my-hostgate.sh hook claude"}]}
                ]
            },
        }
    )
    path.write_text(text)
    assert "no hook is installed" in host.run("uninstall", "claude").stdout
    assert path.read_text() == text


def test_a_file_of_somebody_else_s_under_our_name_is_kept(host: Host) -> None:
    path = host.home / SETTINGS["copilot"]
    path.parent.mkdir(parents=True)
    path.write_text('{"version": 1}')
    host.run("uninstall", "copilot")
    assert path.read_text() == '{"version": 1}'
    host.run("install", "copilot")
    assert "hook copilot" in path.read_text()
    host.run("uninstall", "copilot")
    assert path.read_text() == '{"version": 1}'


def test_a_copy_that_is_not_put_back_is_named(host: Host, theirs: Path) -> None:
    host.run("install", "claude")
    theirs.write_text(theirs.read_text().replace('"opus"', '"sonnet"'))
    done = host.run("uninstall", "claude")
    copy = f"{theirs}.before-hostgate"
    assert f"kept {copy}" in done.stdout and Path(copy).read_text() == THEIRS


def test_a_link_that_a_checkout_has_in_place_of_the_copy_is_not_followed(host: Host) -> None:
    theirs = host.project / ".claude/settings.local.json"
    theirs.parent.mkdir()
    theirs.write_text('{"a": "$(touch owned)"}')
    rc, secret = host.home / ".shellrc", host.home / "secret"
    rc.write_text("mine\n")
    secret.write_text("{}")
    copy = Path(f"{theirs}.before-hostgate")
    copy.symlink_to(rc)
    assert host.run("install", "claude", "--project").returncode == 0
    assert rc.read_text() == "mine\n"
    assert not copy.is_symlink() and copy.read_text() == '{"a": "$(touch owned)"}'
    copy.unlink()
    copy.symlink_to(secret)  # nor is it read
    before = theirs.read_text()
    assert host.run("install", "claude", "--project").returncode == 0
    assert theirs.read_text() == before and secret.read_text() == "{}"
    assert host.run("uninstall", "claude", "--project").returncode == 0
    assert secret.read_text() == "{}" and "touch owned" in theirs.read_text()


def test_a_hook_of_copilot_s_denies_nothing_when_hostgate_is_gone(host: Host) -> None:
    """A hook that fails has it deny every command."""
    host.run("install", "copilot")
    document = json.loads((host.home / SETTINGS["copilot"]).read_text())
    (hook,) = document["hooks"]["preToolUse"]
    assert subprocess.run(["bash", "-c", hook["bash"]], input=b"{}").returncode == 0
    gone = hook["bash"].replace(HOSTGATE, "/nowhere/hostgate")
    done = subprocess.run(["bash", "-c", gone], input=b"{}", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

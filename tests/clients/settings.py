"""The agents that run without a terminal: their packages, and the least that each one needs.

Where an agent is not told by rules what it may run, it may run everything.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

PROMPT = "Run the commands."
KEY = "nobody-asks-for-it"


class Lay(NamedTuple):
    """What one run is made of; ``allow`` and ``deny`` are the first words of commands."""

    home: Path
    package: Path  # where the client is
    url: str
    allow: list[str]
    deny: list[str]
    extra: dict[str, Any]  # more settings of the user's, in the agent's own form

    def write(self, name: str, content: str | dict[str, Any]) -> None:
        """Write a file of the home. What is in the extra settings is added to JSON."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict):
            content = json.dumps({**content, **self.extra}, indent=2)
        path.write_text(content)


class Started(NamedTuple):
    """How a client is started: its arguments, and what it needs in its environment."""

    arguments: list[str]
    environment: dict[str, str]


class Client(NamedTuple):
    """A client. ``orphans`` says that what it runs lives on when it is killed."""

    name: str
    title: str
    package: str
    version: str
    lay: Callable[[Lay], Started]
    orphans: bool

    @property
    def folder(self) -> str:
        return f"{self.name}-{self.version}"


def _claude(lay: Lay) -> Started:
    allow = [f"Bash({words}:*)" for words in lay.allow] or ["Bash"]
    deny = [f"Bash({words}:*)" for words in lay.deny]
    lay.write(".claude/settings.json", {"permissions": {"allow": allow, "deny": deny}})
    environment = {
        "ANTHROPIC_BASE_URL": lay.url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    return Started(["-p", PROMPT], environment)


def _codex(lay: Lay) -> Started:
    """Unless it is said otherwise by an option, it has no sandbox; a rule frees of that."""
    config = f"""\
model = "scripted"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "{lay.url}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
"""
    lay.write(".codex/config.toml", config)
    rules = [
        f'prefix_rule(pattern={json.dumps(words.split())}, decision="{decision}")\n'
        for decision, commands in (("allow", lay.allow), ("forbidden", lay.deny))
        for words in commands
    ]
    lay.write(".codex/rules/default.rules", "".join(rules))
    options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--color", "never"]
    sandbox = ["-s", "read-only" if lay.allow else "danger-full-access"]
    return Started(["exec", *options, *sandbox, PROMPT], {"LOCAL_KEY": KEY})


def _gemini(lay: Lay) -> Started:
    settings: dict[str, Any] = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    if lay.allow:
        settings["tools"] = {"allowed": [f"run_shell_command({words})" for words in lay.allow]}
    lay.write(".gemini/settings.json", settings)
    for words in lay.deny:
        rule = f'[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "{words}"\n'
        lay.write(".gemini/policies/own.toml", f'{rule}decision = "deny"\npriority = 50\n')
    environment = {
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": lay.url,
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }
    mode = [] if lay.allow else ["--yolo"]
    return Started(["-p", PROMPT, "-m", "gemini-2.5-flash", *mode], environment)


def _copilot(lay: Lay) -> Started:
    environment = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_MODEL": "scripted",
        "COPILOT_PROVIDER_BASE_URL": f"{lay.url}/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
    }
    options = [f"--allow-tool=shell({words}:*)" for words in lay.allow]
    options = options or ["--allow-all-tools", "--allow-all-paths"]
    options += [f"--deny-tool=shell({words}:*)" for words in lay.deny]
    return Started(["-p", PROMPT, "--disable-builtin-mcps", *options], environment)


def _opencode(lay: Lay) -> Started:
    """It fetches its plugin's package where that is not beside its settings."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{lay.url}/v1", "apiKey": KEY},
        "models": {"scripted": {"tool_call": True, "limit": {"context": 99999, "output": 9999}}},
    }
    config: dict[str, Any] = {
        "autoupdate": False,
        "model": "local/scripted",
        "small_model": "local/scripted",
        "enabled_providers": ["local"],
        "provider": {"local": provider},
    }
    rules = {"*": "ask"} if lay.allow else {}
    rules |= {f"{words}*": "allow" for words in lay.allow}
    rules |= {f"{words}*": "deny" for words in lay.deny}
    if rules:
        config["permission"] = {"bash": rules}
    lay.write(".config/opencode/opencode.json", config)
    for name in ("package.json", "package-lock.json", "node_modules"):
        (lay.home / ".config/opencode" / name).symlink_to(lay.package / "plugin" / name)
    switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    return Started(["run", PROMPT], {f"OPENCODE_DISABLE_{name}": "1" for name in switches})


def _qwen(lay: Lay) -> Started:
    """Without a terminal, no rule of its own lets it run a command: it may run everything."""
    off = {"enableManagedAutoMemory": False, "enableManagedAutoDream": False}
    settings: dict[str, Any] = {
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "memory": off,  # conversations of their own, with a shell
    }
    if lay.deny:
        settings["permissions"] = {"deny": [f"Bash({words} *)" for words in lay.deny]}
    lay.write(".qwen/settings.json", settings)
    environment = {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{lay.url}/v1",
        "OPENAI_MODEL": "scripted",
    }
    return Started(["-p", PROMPT, "--yolo"], environment)


CLIENTS = {
    client.name: client
    for client in (
        Client("claude", "Claude Code", "@anthropic-ai/claude-code", "2.1.332", _claude, True),
        Client("codex", "Codex", "@openai/codex", "0.171.0", _codex, False),
        Client("gemini", "Gemini CLI", "@google/gemini-cli", "0.61.0", _gemini, True),
        Client("opencode", "opencode", "opencode-ai", "1.18.33", _opencode, True),
        Client("copilot", "Copilot CLI", "@github/copilot", "1.0.102", _copilot, True),
        Client("qwen", "Qwen Code", "@qwen-code/qwen-code", "0.24.4", _qwen, True),
    )
}

REWRITING = [name for name in CLIENTS if name != "qwen"]  # the hook can change what they run

"""``hostgate doctor``: what hostgate depends on, one line each, with the remedy."""

from __future__ import annotations

import os
import platform

from hostgate import __version__
from hostgate.cli.agents import BAD, ODD, OK, Finding
from hostgate.cli.agents import findings as of_agents
from hostgate.core.rules import DEFAULT
from hostgate.core.text import inert
from hostgate.host import StateError, apart, lock, process
from hostgate.host.config import Config
from hostgate.host.liveness import GONE, ORPHANED
from hostgate.host.project import project_path, tree_here
from hostgate.host.state import LOCK, REGISTRY, State, locate, unlink
from hostgate.host.store import FileStore
from hostgate.ui.phrases import misconfigured


def doctor() -> int:
    """Print the findings. Returns 1 if something keeps hostgate from working, else 0."""
    findings: list[Finding] = [
        (OK, f"hostgate {__version__}, Python {platform.python_version()}, {platform.platform()}")
    ]
    if os.environ.get("HOSTGATE_DISABLE", "0") not in ("", "0"):
        findings.append((ODD, "HOSTGATE_DISABLE is set: every command runs ungated; unset it"))
    findings += [_configuration(), _parser()]
    try:
        path = locate()
        store = FileStore(path)
        findings.append((OK, f"state directory {path}, private (0700)"))
        findings += [_writable(store.state), _locks(store.state), _pipes(store.state)]
        findings += [_registry_lock(store.state), *_registry(store), *_set_aside(store.state)]
        findings += of_agents(store.state)
    except StateError as error:
        findings.append((BAD, f"{error}; set HOSTGATE_HOME to a directory of your own"))
    for grade, text in findings:
        print(f"{grade:3}  {inert(text, 400)}")
    return 1 if any(grade == BAD for grade, _ in findings) else 0


def _configuration() -> Finding:
    config = Config(None)
    tree = tree_here()
    problems = config.settings(tree).problems
    if problems:
        return ODD, misconfigured(problems)
    paths = [path for path in (config.user_path, project_path(tree)) if os.path.isfile(path)]
    return OK, f"configuration: {', '.join(paths) or 'no file, the defaults hold'}"


def _parser() -> Finding:
    if apart.read("echo $(make)", DEFAULT).category == "build":
        return OK, "the parser of command lines works"
    cure = "install tree-sitter and tree-sitter-bash anew"
    return ODD, f"the parser does not work, what stands in $(...) goes unseen; {cure}"


def _writable(state: State) -> Finding:
    path = state.file("doctor.probe")
    unlink(path)  # what a killed doctor left, or somebody put there
    try:
        fd = state.create(path, os.O_WRONLY | os.O_EXCL)
        os.write(fd, b"x" * 4096)
        os.close(fd)
        os.unlink(path)
    except OSError as error:
        return BAD, f"{state.path} cannot be written: {error.strerror}; free space, or chmod u+rwx"
    return OK, "the state directory can be written"


def _locks(state: State) -> Finding:
    from filelock import FileLock, Timeout

    path = state.file("doctor.lock")
    unlink(path)  # filelock may follow a link, and empties what is there
    held = FileLock(path)
    try:
        os.close(state.create(path, os.O_WRONLY | os.O_EXCL))
        with held.acquire(timeout=1):
            if lock.probe(path) == lock.HELD:
                return OK, "flock works here, and sees filelock's locks"
        return BAD, "flock does not see a held lock here; set HOSTGATE_HOME to a local file system"
    except (OSError, NotImplementedError, Timeout) as error:
        return BAD, f"no locks here ({error}); set HOSTGATE_HOME to a local file system"
    finally:
        try:
            os.unlink(path)
        except OSError:
            pass  # it was never made, or filelock took it away


def _pipes(state: State) -> Finding:
    path = state.file("doctor.wake")
    unlink(path)
    try:
        state.make_pipe(path)
        os.unlink(path)
    except OSError as error:
        return ODD, f"no named pipes here ({error.strerror}): waiters wake by a look a second"
    return OK, "named pipes work here: waiters wake at once"


def _registry_lock(state: State) -> Finding:
    path = state.file(LOCK)
    found = lock.probe(path)
    if found != lock.HELD:
        return OK, f"the registry's lock is {found}"
    holders = ", ".join(map(_named, process.holders(path))) or "a process that cannot be named"
    return ODD, f"the registry's lock is held by {holders}; if it is stopped: kill -CONT PID"


def _named(pid: int) -> str:
    import psutil

    try:
        one = psutil.Process(pid)
        return f"pid {pid} ({one.name()}, {one.status()})"
    except psutil.Error:
        return f"pid {pid}"


def _registry(store: FileStore) -> list[Finding]:
    try:
        claims = store.read().claims
    except StateError as error:
        return [
            (BAD, f"{error}; the next run sets a broken one aside, a newer one needs upgrading")
        ]
    counts = f"{len(claims)} claim{'' if len(claims) == 1 else 's'}"
    findings = [(OK, f"{REGISTRY} is readable: {counts}")]
    for claim in claims:
        status = store.liveness.status(claim)
        if status == ORPHANED:
            child = store.liveness.child(claim.id)
            pid = f"pid {child[0]}" if child else "its command"
            findings.append(
                (ODD, f"orphan {claim.id}: hostgate was killed, {pid} holds the slot till it ends")
            )
        elif status == GONE:
            findings.append((OK, f"{claim.id} is over; the next run drops it"))
    return findings


def _set_aside(state: State) -> list[Finding]:
    names = sorted(name for name in os.listdir(state.path) if ".corrupt-" in name)
    if not names:
        return []
    return [(ODD, f"set aside as unreadable: {', '.join(names)}; look into them, then remove them")]

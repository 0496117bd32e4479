"""What is kept of recorded runs for a day: what was run, its output, and how it ended.

Each has a file ``runs/NAME.json``, which is replaced whole under the registry's lock, and from its
start on its output in ``runs/NAME.TOKEN.log``. The name is the claim's id, or stands for the run
id; each execution has a token of its own, so that nobody takes the output of one for another's.
"""

from __future__ import annotations

import os
from time import time

from hostgate.core.claims import Claim
from hostgate.core.text import digest as text_digest
from hostgate.host import because, dumps, history, loads
from hostgate.host.state import RUNS, State, unlink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.host.history import Record

SCHEMA = 1
KEPT_FOR = 24 * 3600.0  # seconds; by the date, as it is to outlast a boot
MOST = 1000  # runs that are kept
OUTPUT = 16 << 20  # bytes of one run's output
ALL_OUTPUT = 256 << 20  # bytes of all of it; beyond, the oldest go
TOKEN = 6  # bytes of an execution's token
ID_SIZES = (4, 5)  # characters of a claim's id
ENDINGS = ("json", "json.new", "json.corrupt")

Live = set[str]


class Run:
    """A recorded run: what it was, and how it ended once it has (``outcome`` is "" before).

    ``record`` is its line of the history; ``whole`` says that all its output was recorded.
    """

    __slots__ = ("digest", "name", "record", "token", "whole")

    def __init__(self, name: str, token: str, digest: str, record: Record, whole: bool) -> None:
        self.name = name
        self.token = token
        self.digest = digest
        self.record = record
        self.whole = whole

    def text(self, key: str) -> str:
        """A text of the record."""
        return str(self.record.get(key) or "")

    @property
    def code(self) -> int | None:
        """What its hostgate exited with, once it has ended, and if it could be known."""
        code = self.record.get("code")
        return code if isinstance(code, int) else None


class Earlier:
    """What has a run id: the live claim, if it still is one, and what is kept of the run."""

    __slots__ = ("claim", "run")

    def __init__(self, claim: Claim | None, run: Run) -> None:
        self.claim = claim
        self.run = run


def digest(claim: Claim, verb: str) -> str:
    """What tells a command from another one: ``run`` or ``hold``, where, and its masked text."""
    return text_digest("\0".join([verb, claim.directory, claim.text]))


def name_of(claim: Claim) -> str:
    """The name of a claim's files: its id, or what stands for its run id, which is longer."""
    return text_digest(claim.run_id) if claim.run_id else claim.id


def _silent(text: str) -> None:
    """Somebody else has said it, or will."""


class Records:
    """The recorded runs of a state directory."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._folder = state.file(RUNS)

    def begin(self, claim: Claim, others: list[Claim]) -> None:
        """Note a run that is about to wait or to start; what its name had before goes.

        Under the registry's lock; ``others`` are the live claims. Raises ``OSError``.
        """
        if os.path.islink(self._folder):  # what is removed must not be somebody else's
            raise OSError(20, "it is a link", self._folder)
        name = name_of(claim)
        self._prune({name_of(one) for one in others if one.digest} - {name})
        record = history.record(claim, "", None, 0.0, 0.0, "")
        run = Run(name, os.urandom(TOKEN).hex(), claim.digest, record, True)
        self._write(run)
        self._forget(name, but=run.token)

    def end(self, claim: Claim, record: Record, whole: bool, warn: Callable[[str], None]) -> None:
        """Note how a run ended, or forget it where it never ran. Under the registry's lock."""
        if record["outcome"] in ("left", "lapsed", "not-started"):
            self.forget(claim)
            return
        known = self.get(name_of(claim))
        token = known.token if known else ""
        try:
            self._write(Run(name_of(claim), token, claim.digest, record, whole))
        except OSError as error:
            warn(f"the end of {claim.run_id or claim.id} is not recorded: {because(error)}")

    def end_late(
        self, claim: Claim, record: Record, whole: bool, warn: Callable[[str], None]
    ) -> None:
        """Note the end of a run that was held for gone, unless it was run again since."""
        known = self.get(name_of(claim))
        if known and (known.record["id"], known.text("outcome")) == (claim.id, ""):
            self.end(claim, record, whole, warn)

    def forget(self, claim: Claim) -> None:
        """Drop what is kept of a claim that never ran."""
        self._forget(name_of(claim))

    def get(self, name: str, warn: Callable[[str], None] = _silent) -> Run | None:
        """The run of that name, if one is kept; what cannot be read is set aside."""
        path = self._path(name)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        with os.fdopen(fd, "rb") as file:
            age = time() - os.fstat(fd).st_mtime
            data = file.read()
        run = _decoded(name, data)
        if run is None:
            warn(f"a record could not be read, and is now {name}.json.corrupt")
            _set_aside(path)
        return run if run and (age <= KEPT_FOR or not run.text("outcome")) else None

    def every(self) -> list[Run]:
        """All runs that are kept, in no order."""
        files = [file for file in _names(self._folder) if file.endswith(".json")]
        return [run for file in files if (run := self.get(file.removesuffix(".json")))]

    def earlier(
        self, claim: Claim, live: Claim | None, repeats: str, warn: Callable[[str], None]
    ) -> Earlier | None:
        """What has the run id of a claim already: a live claim, or a run that is kept.

        The latter does not count where its token is that of what the claim ``repeats``.
        """
        run = self.get(name_of(claim), warn)
        if run is None and live is not None:
            record = history.record(live, "", None, 0.0, 0.0, "")
            run = Run(name_of(live), "", live.digest, record, False)
        if run is None or (live is None and run.token == repeats):
            return None
        return Earlier(live, run)

    def create_log(self, claim: Claim) -> int:
        """A descriptor to record a run's output. Raises ``OSError``."""
        run = self.get(name_of(claim))
        if run is None:
            raise FileNotFoundError(2, "its record is gone")
        return self._state.create(self._log(run), os.O_WRONLY | os.O_TRUNC)

    def open_log(self, run: Run) -> int:
        """A descriptor to read a run's output, or -1 where there is none (yet, or any more)."""
        try:
            return os.open(self._log(run), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return -1

    def _write(self, run: Run) -> None:
        document = {
            **run.record,
            "schema": SCHEMA,
            "token": run.token,
            "digest": run.digest,
            "whole": run.whole,
        }
        self._state.replace(self._path(run.name), dumps(document).encode())

    def _prune(self, live: Live) -> None:
        """Drop what is older than a day, or too much."""
        ages: dict[str, float] = {}
        files: dict[str, list[os.DirEntry[str]]] = {}
        try:
            entries = list(os.scandir(self._folder))
        except OSError:
            return
        for entry in entries:
            name = entry.name.partition(".")[0]
            if name not in live and _is_own(entry.name):
                files.setdefault(name, []).append(entry)
                age = time() - entry.stat(follow_symlinks=False).st_mtime
                ages[name] = min(age, ages.get(name, age))
        size = 0
        for at, name in enumerate(sorted(ages, key=lambda name: ages[name])):
            if at >= MOST - 1 or ages[name] > KEPT_FOR:
                run = self.get(name)
                if run is None or run.text("outcome") or not run.text("run_id"):
                    self._forget(name)
                    continue  # but what is indeterminate is not to run again
            for entry in files[name]:
                size += entry.stat(follow_symlinks=False).st_size
                if size > ALL_OUTPUT and entry.name.endswith(".log"):
                    unlink(entry.path)

    def _forget(self, name: str, but: str = "") -> None:
        """Remove the files of a name; with ``but`` only what older executions left."""
        kept = (f"{name}.json", f"{name}.{but}.log") if but else ()
        for file in _names(self._folder):
            if file.startswith(f"{name}.") and file not in kept and _is_own(file):
                unlink(f"{self._folder}/{file}")

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}.json"

    def _log(self, run: Run) -> str:
        return f"{self._folder}/{run.name}.{run.token}.log"


def _is_own(file: str) -> bool:
    """Whether a file has a name that is given here: a state directory may hold others' too."""
    name, _, ending = file.partition(".")
    token, dot, kind = ending.partition(".")
    if not name.isalnum() or not (len(name) in ID_SIZES or _is_hex(name, 32)):
        return False
    return ending in ENDINGS or (dot + kind == ".log" and _is_hex(token, 2 * TOKEN))


def _is_hex(text: str, size: int) -> bool:
    return len(text) == size and all(char in "0123456789abcdef" for char in text)


def _set_aside(path: str) -> None:
    try:
        os.replace(path, f"{path}.corrupt")
    except OSError:
        pass  # the next one who can write does it


def _decoded(name: str, data: bytes) -> Run | None:
    try:
        value = loads(data.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not history.is_record(value):
        return None
    token, kind, whole = value.get("token"), value.get("digest"), value.get("whole")
    if not isinstance(token, str) or not isinstance(kind, str) or not isinstance(whole, bool):
        return None
    if token and not token.isalnum():
        return None
    return Run(name, token, kind, value, whole)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []

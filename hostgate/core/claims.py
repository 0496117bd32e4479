"""The registry's data: claims in arrival order, and how they are plain data in a file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.core.likeness import Reading
    from hostgate.core.rules import Rules, RulesOf

    ReadOf = Callable[[str, Rules], Reading]

SCHEMA = 1
LIMIT = 2**53  # of epochs and times: what a JSON number holds exactly

RUNNING = "running"
WAITING = "waiting"
RESERVED = "reserved"
KEPT = "kept"
STATES = (RUNNING, WAITING, RESERVED, KEPT)
ACTIVE = (RUNNING, RESERVED)  # these hold a slot


class Broken(ValueError):
    """The data is no registry."""


class Newer(ValueError):
    """The registry was written by a newer hostgate, in a form that this one does not know."""


class Owner:
    """The hostgate process that holds a claim, for people and for the search for orphans.

    ``start`` is the kernel's start stamp of the process ("" where the system has none at
    hand), ``space`` its pid namespace ("" where there are none).
    """

    __slots__ = ("host", "pid", "space", "start")

    def __init__(self, host: str, pid: int, start: str, space: str) -> None:
        self.host = host
        self.pid = pid
        self.start = start
        self.space = space

    def is_same(self, other: Owner) -> bool:
        """Whether two descriptions are of one process."""
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)


class Claim:
    """One session's command: ``waiting`` for its turn, ``running``, ``reserved``, a ``kept`` place.

    ``enqueued_at`` and ``started_at`` are UTC, for people; ``since`` is the uptime in seconds
    at which the present state began, and all that is computed from. ``within`` are the ids of
    the claims that this one runs inside, outermost first; ``behind`` those that it waited for.
    ``lasts`` makes a reservation of it once its turn has come: the seconds of uptime that this
    counts as running without an owner. ``held`` says that it lasts as long as a shell.
    ``directory`` and ``form`` (``argv`` or ``shell``) are what it takes to run the command again;
    no form says that it cannot be. ``terms`` are what its owner decides by: others with the same
    may decide for it. ``run_id`` is of what runs at most once, ``digest`` tells
    recorded commands apart ("" where the output is not recorded).
    Lists and other values are replaced, never changed in place.
    ``rules_of`` tells by which rules this process reads the commands of a project, ``read`` how;
    it reads the ``text``, of which the command may be only the beginning.
    """

    __slots__ = (
        "_line",
        "_read",
        "_reading",
        "_rules_of",
        "_sealed",
        "_stored",
        "_text",
        "behind",
        "command",
        "digest",
        "directory",
        "enqueued",
        "enqueued_at",
        "epoch",
        "form",
        "held",
        "id",
        "lanes",
        "lasts",
        "override",
        "owner",
        "project",
        "run_id",
        "session",
        "since",
        "started_at",
        "state",
        "terms",
        "title",
        "within",
    )

    def __init__(
        self,
        *,
        id: str,
        session: str,
        title: str,
        project: str,
        command: str,
        owner: Owner,
        enqueued_at: str,
        enqueued: float,
        state: str = WAITING,
        lanes: list[str] | None = None,
        within: list[str] | None = None,
        epoch: int = 0,
        started_at: str = "",
        since: float | None = None,
        override: bool = False,
        behind: dict[str, str] | None = None,
        lasts: float = 0.0,
        held: bool = False,
        directory: str = "",
        form: str = "",
        run_id: str = "",
        digest: str = "",
        terms: str = "",
        reading: object = None,
        rules_of: RulesOf | None = None,
        read: ReadOf | None = None,
        text: str = "",
    ) -> None:
        self.id = id
        self.state = state
        self.session = session
        self.title = title
        self.project = project
        self.command = command
        self.lanes = lanes or []
        self.within = within or []
        self.epoch = epoch
        self.owner = owner
        self.enqueued_at = enqueued_at
        self.started_at = started_at
        self.enqueued = enqueued
        self.since = enqueued if since is None else since
        self.override = override
        self.behind = behind or {}
        self.lasts = lasts
        self.held = held
        self.directory = directory
        self.form = form
        self.run_id = run_id
        self.digest = digest
        self.terms = terms
        self._line = ""
        self._sealed: tuple[object, ...] | None = None
        self._rules_of = rules_of
        self._read = read or read_here
        self._text = text or command
        self._stored = reading
        self._reading: Reading | None = None

    @property
    def text(self) -> str:
        """The whole command; only its beginning where the claim was read from the registry."""
        return self._text

    def is_near(self, other: Claim) -> bool:
        """Whether two claims share their project or a lane; others never contend."""
        return self.project == other.project or not set(self.lanes).isdisjoint(other.lanes)

    @property
    def rules(self) -> Rules:
        """The rules of the claim's project."""
        if self._rules_of is None:
            from hostgate.core.rules import DEFAULT

            return DEFAULT
        return self._rules_of(self.project)

    @property
    def reading(self) -> Reading:
        """How the detector reads the command: made when first asked for, then kept."""
        if self._reading is None:
            from hostgate.core.likeness import decode, fold

            self._reading = decode(self.command, self._stored, self.rules)
            if self._reading is None:
                self._reading = self._read(self._text, self.rules)
                self._reading.text = fold(self.command)
                self._stored = self._reading.encode()
        return self._reading

    def seal(self, line: str) -> None:
        """Note that the claim is what this line of a registry says."""
        self._line = line
        self._sealed = self._facts()

    def sealed_line(self) -> str:
        """The line that says what the claim is, if it has not changed since; else ""."""
        return self._line if self._sealed == self._facts() else ""

    def _facts(self) -> tuple[object, ...]:
        """All that is stored of the claim."""
        return (
            *(self.id, self.state, self.epoch, self.since, self.started_at, self.owner),
            *(self.behind, self.within, self.lanes, self.override, self.held, self.lasts),
            *(self.run_id, self.digest, self.terms, self.session, self.title, self.project),
            *(self.command, self.directory, self.form, self.enqueued, self.enqueued_at),
            self._stored,
        )

    @property
    def stored_reading(self) -> object:
        """The reading as plain data, if there is one."""
        return self._stored


def read_here(command: str, rules: Rules) -> Reading:
    """The reading of a command, made in this process."""
    from hostgate.core.similarity import read  # the tables, for who reads it first

    return read(command, rules)


class Registry:
    """The claims in arrival order, and the counter of the changes of ownership."""

    __slots__ = ("claims", "epoch")

    def __init__(self, epoch: int = 0, claims: list[Claim] | None = None) -> None:
        self.epoch = epoch
        self.claims = claims or []

    def find(self, id: str) -> Claim | None:
        """The claim with this id, or ``None``."""
        for claim in self.claims:
            if claim.id == id:
                return claim
        return None

    def next_epoch(self) -> int:
        """Count one more change of ownership; its number is the new owner's fencing token."""
        self.epoch += 1
        return self.epoch


def encode_claim(claim: Claim) -> dict[str, object]:
    """The claim as plain data."""
    owner = claim.owner
    data: dict[str, object] = {name: getattr(claim, name) for name in _PLAIN}
    data["owner"] = {name: getattr(owner, name) for name in Owner.__slots__}
    data["reading"] = claim.stored_reading
    return data


def decode_claim(
    data: object, rules_of: RulesOf | None = None, read: ReadOf | None = None
) -> Claim:
    """The claim in plain data. Raises :class:`Broken`; unknown keys are a newer hostgate's."""
    if type(data) is not dict or type(data.get("owner")) is not dict:
        raise Broken("a claim is no object")
    data.setdefault("terms", "")
    if tuple(map(type, map(data.get, _PLAIN))) != _TYPES:  # else it is surely right
        for name, kinds in _PLAIN.items():
            if type(data.get(name)) not in kinds:
                raise Broken(f"a claim's {name}")
    owner = data["owner"]
    for name in Owner.__slots__:
        if type(owner.get(name)) is not (int if name == "pid" else str):
            raise Broken(f"an owner's {name}")
    if not 0 < owner["pid"] < 2**31 or data["state"] not in STATES or not is_id(data["id"]):
        raise Broken("a claim's owner, state or id")
    for time in (data["enqueued"], data["since"], data["lasts"]):
        if not abs(time) < LIMIT:  # NaN or infinite; a monotonic clock may begin anywhere
            raise Broken("a claim's times")
    if not 0 <= data["epoch"] < LIMIT:
        raise Broken("a claim's epoch")
    for item in (*data["lanes"], *data["within"], *data["behind"].values()):
        if type(item) is not str:
            raise Broken("a claim's lanes or blockers")
    return Claim(
        owner=Owner(owner["host"], owner["pid"], owner["start"], owner["space"]),
        reading=data.get("reading"),
        rules_of=rules_of,
        read=read,
        **{name: data[name] for name in _PLAIN},
    )


def decode_registry(data: object, decoded: Callable[[object], Claim] = decode_claim) -> Registry:
    """The registry in plain data. Raises :class:`Broken` or :class:`Newer`."""
    if type(data) is not dict or type(data.get("schema")) is not int:
        raise Broken("no schema")
    if data["schema"] > SCHEMA:
        raise Newer(f"schema {data['schema']}")
    if data["schema"] < 1 or type(data.get("epoch")) is not int or not 0 <= data["epoch"] < LIMIT:
        raise Broken("the epoch")
    if type(data.get("claims")) is not list:
        raise Broken("no claims")
    registry = Registry(data["epoch"], [decoded(item) for item in data["claims"]])
    check_ids(registry)
    return registry


def is_epoch(text: str) -> bool:
    """Whether a text is an epoch as JSON writes it."""
    return text.isascii() and text.isdigit() and len(text) < 16 and str(int(text)) == text


def check_ids(registry: Registry) -> None:
    """Raise :class:`Broken` where two claims have one id."""
    if len({claim.id for claim in registry.claims}) < len(registry.claims):
        raise Broken("one id twice")


def is_id(text: str) -> bool:
    """Whether the text can name files: an id is part of the names of a claim's files."""
    return 0 < len(text) <= 32 and text.isascii() and text.isalnum()


_PLAIN: dict[str, tuple[type, ...]] = {
    "id": (str,),
    "state": (str,),
    "session": (str,),
    "title": (str,),
    "project": (str,),
    "command": (str,),
    "lanes": (list,),
    "within": (list,),
    "epoch": (int,),
    "enqueued_at": (str,),
    "started_at": (str,),
    "enqueued": (float, int),
    "since": (float, int),
    "override": (bool,),
    "behind": (dict,),
    "lasts": (float, int),
    "held": (bool,),
    "directory": (str,),
    "form": (str,),
    "run_id": (str,),
    "digest": (str,),
    "terms": (str,),
}
_TYPES = tuple([kinds[0] for kinds in _PLAIN.values()])

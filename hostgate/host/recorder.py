"""Recording a command's output on its way to the caller: byte for byte, both streams.

A process of its own, the pump, stands between: the command writes into a pipe, or where the caller
has a terminal into a pseudo-terminal; the pump writes what comes into the record and on to the
caller. The command keeps the caller's standard input, terminal and process group: keys, Ctrl-C
and Ctrl-Z are as without it. What the command leaves running can go on to write when it has ended.
"""

from __future__ import annotations

import os
from _signal import (
    SIG_BLOCK,
    SIG_IGN,
    SIG_SETMASK,
    SIGALRM,
    SIGHUP,
    SIGINT,
    SIGQUIT,
    SIGTERM,
    SIGTSTP,
    SIGTTIN,
    SIGTTOU,
    SIGUSR1,
    SIGUSR2,
    SIGWINCH,
    pthread_sigmask,
    signal,
)
from select import PIPE_BUF, select
from stat import S_ISREG

from hostgate.core.frames import frame
from hostgate.host import because
from hostgate.host.records import OUTPUT
from hostgate.host.state import write_all
from hostgate.host.watch import close_others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK = 1 << 16  # bytes that are read at once, and that wait for a slow caller
LAST = 1 << 20  # bytes that are looked for in a pipe when the command has ended: what one can hold
IGNORED = (
    *(SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2),
)
ENDED, RECORDED, CUT, SHOWN = b"e", b"r", b"c", b"s"


class Recorder:
    """The pump of one command, and where the command is to write instead of 1 and 2.

    ``actions`` are for ``posix_spawn``. ``log`` is the descriptor of the record, which the object
    closes. Raises ``OSError``.
    """

    def __init__(self, log: int, warn: Callable[[str], None]) -> None:
        try:
            streams, writing = _streams()
            self.actions = [(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in writing.items()]
            said, self._say = os.pipe()
            self._heard, answer = os.pipe()
            mask = pthread_sigmask(SIG_BLOCK, IGNORED)  # until the pump ignores them
            try:
                child = os.fork()
                if child == 0:
                    _run(_Pump(streams, log, said, answer, warn), mask)
            finally:
                pthread_sigmask(SIG_SETMASK, mask)
            for fd in (said, answer, *[stream.fd for stream in streams]):
                os.close(fd)
            self._writing = set(writing.values())
        finally:
            os.close(log)

    def finish(self) -> bool:
        """Have what the command has written recorded. Returns whether that is all of it."""
        for fd in self._writing:
            os.close(fd)
        try:
            os.write(self._say, ENDED)
        except OSError:
            return False  # the pump is gone
        return os.read(self._heard, 1) == RECORDED

    def shown(self) -> None:
        """Wait until the caller has got all of it, or wants no more."""
        os.read(self._heard, 1)


class _Stream:
    """What one stream of the command is read from, and where it goes."""

    __slots__ = ("fd", "number", "pending", "target")

    def __init__(self, number: int, fd: int) -> None:
        self.number = number
        self.fd = fd
        self.target = number  # -1 where nobody wants it any more
        self.pending = b""


def _streams() -> tuple[list[_Stream], dict[int, int]]:
    """The streams to read, and what the command has for its 1 and 2.

    Where both are one terminal of the caller's they stay one, so that what they write keeps its
    order.
    """
    streams: list[_Stream] = []
    writing: dict[int, int] = {}
    one = os.isatty(1) and os.isatty(2) and os.fstat(1).st_rdev == os.fstat(2).st_rdev
    for number in (1, 2):
        if one and number == 2:
            writing[2] = writing[1]
            break
        make = _pseudo_terminal if os.isatty(number) else _pipe
        reading, writing[number] = make(number)
        streams.append(_Stream(number, reading))
    return streams, writing


def _pipe(like: int) -> tuple[int, int]:
    return os.pipe()


def _pseudo_terminal(like: int) -> tuple[int, int]:
    """A pseudo-terminal with the modes and the size of a terminal; it leaves the bytes alone."""
    import termios

    outer, inner = os.openpty()
    modes = termios.tcgetattr(like)
    modes[1] &= ~termios.OPOST  # the caller's terminal does that
    termios.tcsetattr(inner, termios.TCSANOW, modes)
    termios.tcsetwinsize(inner, termios.tcgetwinsize(like))
    return outer, inner


def _run(pump: _Pump, mask: set[int]) -> None:
    """The pump's life; never returns. It has nothing of hostgate's but what it needs."""
    try:
        for number in IGNORED:
            signal(number, SIG_IGN)
        signal(SIGWINCH, pump.resize)
        pthread_sigmask(SIG_SETMASK, mask)
        close_others({1, 2, *pump.descriptors()})
        os.open("/dev/null", os.O_RDWR)  # as 0
        pump.renumber()
        os.chdir("/")
        pump.run()
    finally:
        os._exit(0)


def _lowest(fd: int) -> int:
    low = os.dup(fd)
    os.close(fd)
    return low


def _takes_more(fd: int) -> bool:
    """Whether output that comes late is welcome: nobody waits for the end of it."""
    return os.isatty(fd) or S_ISREG(os.fstat(fd).st_mode)


class _Pump:
    """Reads what the command writes until nobody can write any more."""

    def __init__(
        self,
        streams: list[_Stream],
        log: int,
        control: int,
        answer: int,
        warn: Callable[[str], None],
    ) -> None:
        self._streams = streams
        self._log = log
        self._left = OUTPUT
        self._control = control
        self._answer = answer
        self._warn = warn
        self._whole = True

    def descriptors(self) -> list[int]:
        """What the pump needs open, besides 1 and 2."""
        return [self._log, self._control, self._answer, *[one.fd for one in self._streams]]

    def renumber(self) -> None:
        """Give the descriptors low numbers: ``select`` knows 1024, and the caller may have more."""
        self._log, self._control, self._answer = map(_lowest, self.descriptors()[:3])
        for stream in self._streams:
            stream.fd = _lowest(stream.fd)

    def run(self) -> None:
        """Pump, record and show; when the command has ended, what is left only goes on."""
        while self._open() or self._pending():
            if self._step():
                self._drain()
                self._tell(RECORDED if self._whole else CUT)
                os.close(self._log)
                self._log = -1
                while pending := self._pending():
                    writable = select([], [one.target for one in pending], [])[1]
                    self._show_to(writable)
                self._tell(SHOWN)
                self._linger()
                return
        if self._control >= 0:  # the streams are at their end; the command may go on
            os.read(self._control, 1)
            self._tell(RECORDED if self._whole else CUT)

    def resize(self, number: int, frame: object) -> None:
        """Give the pseudo-terminal the terminal's new size, and tell the command once more."""
        import termios

        for stream in self._open():
            try:
                size = termios.tcgetwinsize(stream.number)
                if termios.tcgetwinsize(stream.fd) != size:
                    termios.tcsetwinsize(stream.fd, size)
                    os.kill(0, SIGWINCH)  # it may have looked before
            except termios.error:
                continue  # a pipe

    def _open(self) -> list[_Stream]:
        return [stream for stream in self._streams if stream.fd >= 0]

    def _pending(self) -> list[_Stream]:
        return [stream for stream in self._streams if stream.pending]

    def _step(self) -> bool:
        """Move what can be moved. Returns whether the command has ended."""
        reading = [one.fd for one in self._open() if len(one.pending) < CHUNK]
        watched = [*reading, self._control] if self._control >= 0 else reading
        readable, writable, _ = select(watched, [one.target for one in self._pending()], [])
        for stream in self._open():
            if stream.fd in readable and not self._read(stream):
                self._close(stream)
        self._show_to(writable)
        if self._control not in readable:
            return False
        ended = os.read(self._control, 1) == ENDED
        os.close(self._control)
        self._control = -1
        return ended  # else hostgate was killed: the command goes on as if it were there

    def _read(self, stream: _Stream) -> int:
        """Read once, record it; returns how many bytes came."""
        try:
            data = os.read(stream.fd, CHUNK)
        except OSError:
            return 0  # nothing is there now, or (on Linux) nobody has the terminal any more
        self._record(stream.number, data)
        if stream.target >= 0:
            stream.pending += data
        return len(data)

    def _record(self, number: int, data: bytes) -> None:
        if self._log < 0 or not data or not self._whole:
            return
        if len(data) > self._left:
            data, self._whole = data[: self._left], False
        self._left -= len(data)
        try:
            write_all(self._log, frame(number, data))
        except OSError as error:
            self._whole = False
            self._warn(f"the output cannot be recorded: {because(error)}")

    def _show_to(self, writable: list[int]) -> None:
        for stream in self._pending():
            if stream.target in writable:
                self._show(stream)

    def _show(self, stream: _Stream) -> None:
        try:
            written = os.write(stream.target, stream.pending[:PIPE_BUF])
            stream.pending = stream.pending[written:]
        except BlockingIOError:
            pass
        except OSError:  # who read it has gone: so the command gets SIGPIPE, as without us
            stream.pending, stream.target = b"", -1
            if self._control >= 0:
                self._close(stream)

    def _drain(self) -> None:
        """Read what is in the pipes now; who still writes into them is not waited for."""
        for stream in self._open():
            os.set_blocking(stream.fd, False)
            most = LAST
            while most > 0 and (count := self._read(stream)):
                most -= count

    def _linger(self) -> None:
        """Let what the command left behind write on: to a terminal or a file, else to nobody."""
        os.close(self._answer)
        for stream in self._open():
            os.set_blocking(stream.fd, True)
            if not _takes_more(stream.number):
                stream.target = -1
        null = os.open("/dev/null", os.O_RDWR)
        for number in (1, 2):
            if not _takes_more(number):
                os.dup2(null, number)
        while self._open():
            self._step()

    def _close(self, stream: _Stream) -> None:
        os.close(stream.fd)
        stream.fd = -1

    def _tell(self, answer: bytes) -> None:
        try:
            os.write(self._answer, answer)
        except OSError:
            pass  # hostgate was killed

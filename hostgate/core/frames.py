"""The form in which a run's output is kept: both streams in one file, in the order they came.

A frame is ``STREAM LENGTH`` in a line of its own, then so many bytes.
"""

from __future__ import annotations

LONGEST = 1 << 20  # bytes of a frame: more was never written
HEADER = 16  # bytes that a header takes at most


def frame(stream: int, data: bytes) -> bytes:
    """One frame: what a stream (1 or 2) wrote at once."""
    return b"%d %d\n" % (stream, len(data)) + data


class Frames:
    """Takes frames apart again, from bytes as they come."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """The streams and bytes of the frames that are whole by now.

        Raises ``ValueError`` where there is something else.
        """
        rest = self._rest + data
        found = []
        while (end := rest.find(b"\n", 0, HEADER)) >= 0:
            stream, length = _header(rest[:end])
            after = end + 1 + length
            if len(rest) < after:
                break
            found.append((stream, rest[end + 1 : after]))
            rest = rest[after:]
        else:
            if len(rest) >= HEADER:
                raise ValueError("no frame")
        self._rest = rest
        return found


def _header(line: bytes) -> tuple[int, int]:
    stream, _, length = line.partition(b" ")
    if stream not in (b"1", b"2") or not length.isdigit() or int(length) > LONGEST:
        raise ValueError("no frame")
    return int(stream), int(length)

"""The form in which output is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.frames import LONGEST, Frames, frame

PIECES = st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40)), max_size=8)


@given(PIECES, st.integers(1, 20))
def test_what_was_written_is_read_back_however_it_comes(
    pieces: list[tuple[int, bytes]], step: int
) -> None:
    data = b"".join(frame(stream, piece) for stream, piece in pieces)
    frames = Frames()
    found = []
    for at in range(0, len(data), step):
        found += frames.feed(data[at : at + step])
    assert found == pieces


@given(PIECES, st.integers(0, 400))
def test_a_last_frame_that_is_cut_is_left_out(pieces: list[tuple[int, bytes]], end: int) -> None:
    data = b"".join(frame(stream, piece) for stream, piece in pieces)[:end]
    found = Frames().feed(data)
    assert found == pieces[: len(found)]


@given(st.binary(max_size=60))
def test_other_bytes_are_no_frames_or_are_refused(data: bytes) -> None:
    try:
        assert all(stream in (1, 2) for stream, _ in Frames().feed(data))
    except ValueError:
        pass


@pytest.mark.parametrize("data", [b"3 1\nx", b"1 -1\n", b"1 x\n", b"x" * 20, b"1 %d\n" % 10**12])
def test_what_is_no_frame_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no frame"):
        Frames().feed(data)
    assert Frames().feed(b"1 %d\n" % LONGEST) == []

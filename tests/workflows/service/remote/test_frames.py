"""Frames: out and back, cut anywhere, and what is none."""

from __future__ import annotations

import io

import pytest

from workflows.service.remote.frames import ALIVE, DATA, Frame, read_frame, write_control, write_frame


def test_frames_come_back_and_a_cut_one_is_the_end() -> None:
    stream = io.BytesIO()
    write_frame(stream, DATA, b"\0\n" * 3)
    write_control(stream, {"op": "arrived", "files": {"ü": 1}})
    write_frame(stream, ALIVE)
    whole = stream.getvalue()
    read = io.BytesIO(whole)
    frames = [read_frame(read) for _ in range(4)]
    assert frames[0] == Frame(DATA, b"\0\n\0\n\0\n") and frames[2:] == [Frame(ALIVE, b""), None]
    assert frames[1] is not None and frames[1].json() == {"op": "arrived", "files": {"ü": 1}}
    for cut in range(1, 11):
        assert read_frame(io.BytesIO(whole[:cut])) is None


@pytest.mark.parametrize("data", [b"X\0\0\0\0", b"D\xff\xff\xff\xff", b"Welcome to box"])
def test_what_is_no_frame_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no frame"):
        read_frame(io.BytesIO(data))


def test_a_control_frame_holds_an_object() -> None:
    with pytest.raises(ValueError, match="object"):
        Frame(b"C", b"[1]").json()

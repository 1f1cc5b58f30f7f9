"""The agent without a connection: what it answers to odd frames, and its end while it ends."""

from __future__ import annotations

import io
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from workflows.service.remote.agent import Agent
from workflows.service.remote.frames import CONTROL, Frame, read_frame
from workflows.service.remote.store import FileStore


def answer(folder: Path, content: bytes) -> object:
    out = io.BytesIO()
    Agent(io.BytesIO(), out, FileStore(folder))._answer(Frame(CONTROL, content))
    out.seek(0)
    frame = read_frame(out)
    assert frame is not None
    return frame.json()["error"]


def test_an_odd_request_is_answered(tmp_path: Path) -> None:
    for content in (b"{", b"[]", b"\xff", b'{"of": 1}', b'{"op": []}', b'{"op": "receive"}', b'{"op": "folder"}'):
        assert str(answer(tmp_path, content)).startswith("A request is malformed ("), content
    for name in (b"exit", b"output", b"start_", b"__init__"):
        assert "not known here" in str(answer(tmp_path, b'{"op": "%s"}' % name))


def test_a_second_signal_while_the_first_one_ends_the_process(tmp_path: Path) -> None:
    """Its handler runs in the same thread, within the first one's."""
    codes = list[int]()

    def end(code: int) -> None:
        codes.append(code)
        if len(codes) == 1:
            agent.stop()

    store = FileStore(tmp_path)
    store.open_session()
    agent = Agent(io.BytesIO(), io.BytesIO(), store, end)
    thread = threading.Thread(target=agent.stop, daemon=True)
    thread.start()
    thread.join(5.0)
    assert codes == [0, 0] and not store.session.exists()


class EndedChild:
    """A process that ends as soon as somebody looks."""

    def __init__(self, *arguments: Any) -> None:
        self._on_exit = arguments[-1]

    def watch(self) -> None:
        self._on_exit(3)

    def kill(self) -> None:
        """Nothing to kill."""


def test_a_child_that_ends_at_once_makes_room_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflows.service.remote.agent.Child", EndedChild)
    out, store = io.BytesIO(), FileStore(tmp_path)
    store.open_session()
    agent = Agent(io.BytesIO(), out, store)
    for _ in range(2):
        start = {"op": "start", "module": "workflows", "arguments": [], "environment": {}}
        agent._answer(Frame(CONTROL, json.dumps(start).encode()))
    store.close_session()
    out.seek(0)
    answers = [frame.json() for frame in iter(lambda: read_frame(out), None)]
    assert answers == [{"exit": 3}, {"answer": None}] * 2

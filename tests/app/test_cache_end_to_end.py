"""The cache of the demo with the real engine: generate, rewind, generate the same again, save, load, be refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.state.bundle_session import BundleSession
from app.state.context import AppContext
from workflows.wire.events import BuildDone
from workflows.wire.requests import Build

PATIENCE_MS = 600_000
GREEDY = {"temperature": 0.0, "max_new_tokens": 24}
ASKED = [{"role": "user", "content": "What is 8 times 7?"}]


def run(qtbot: Any, session: BundleSession) -> str:
    """A greedy reply."""
    with qtbot.waitSignal(session.finished, timeout=PATIENCE_MS) as done:
        assert session.generate(ASKED, GREEDY)
    return str(done.args[0].text)


def change(qtbot: Any, session: BundleSession, name: str, value: Any) -> list[Any]:
    with qtbot.waitSignals([session.cache.done], timeout=PATIENCE_MS):
        assert getattr(session.cache, name.removesuffix("_cache"))(value)
    return session.groups_for(session.bundle)


def runs(session: BundleSession) -> list[Any]:
    return [group.runs for group in session.groups_for(session.bundle)]


@pytest.mark.slow
def test_the_cache_of_the_demo(qtbot: Any, tmp_path: Path) -> None:
    context = AppContext()
    bundle = tmp_path / "demo"
    job = context.session_worker.request(Build("demo:qwen3", str(bundle), {"capacity": 512, "cache": "static"}))
    with qtbot.waitSignal(job.finished, timeout=PATIENCE_MS) as built:
        pass
    assert isinstance(built.args[0], BuildDone), built.args[0]
    session = context.session
    with qtbot.waitSignal(session.opened, timeout=PATIENCE_MS):
        session.open(bundle)
    first = run(qtbot, session)
    assert "56" in first
    length, full = session.groups_for(session.bundle)[0].length, runs(session)
    assert session.groups_for(session.bundle)[0].rewindable == [(0, length)]
    assert session.cache.history.snapshots[-1].length == length
    change(qtbot, session, "save_cache", tmp_path / "turn.safetensors")
    change(qtbot, session, "rewind", length // 2)
    assert runs(session) == [[(0, 0, length // 2)]]
    assert run(qtbot, session) == first
    assert runs(session) == full
    change(qtbot, session, "rewind", 0)
    assert runs(session) == [[]]
    change(qtbot, session, "load_cache", tmp_path / "turn.safetensors")
    assert runs(session) == full
    assert run(qtbot, session) == first
    refuse(qtbot, session, length)
    window(qtbot, session, bundle, tmp_path / "turn.safetensors")
    context.close()


def refuse(qtbot: Any, session: BundleSession, length: int) -> None:
    """A length that it never had: the sentence names those it can go to, and the session goes on."""
    with qtbot.waitSignal(session.cache.failed, timeout=PATIENCE_MS) as failed:
        session.cache.rewind(length + 1)
    assert failed.args[1].kind == "rewind" and f"0 to {length}" in failed.args[1].message
    assert session.state == "ready" and session.groups_for(session.bundle)[0].length == length


def window(qtbot: Any, session: BundleSession, bundle: Path, saved: Path) -> None:
    """A ring that went round names few legal lengths, and refuses what was saved from another layout."""
    with qtbot.waitSignal(session.opened, timeout=PATIENCE_MS):
        session.open(bundle, cache="window", capacity=16)
    run(qtbot, session)
    (group,) = session.groups_for(session.bundle)
    assert group.evicted > 0
    assert group.rewindable[0] == (0, 0) and group.rewindable[-1][1] == group.length
    with qtbot.waitSignal(session.cache.failed, timeout=PATIENCE_MS) as failed:
        session.cache.load(saved)
    assert failed.args[1].kind == "promptcache"

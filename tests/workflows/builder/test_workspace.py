"""Killed, or refused, at every single file operation: the next build needs no hand and makes the same bundle."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.workflows.builder.test_run import below
from tests.workflows.bundle.making import pipeline
from workflows.builder import BuildRequest, build
from workflows.builder.workspace import BuildWorkspace, open_workspace
from workflows.bundle import verify_bundle
from workflows.bundle.write import publish
from workflows.common import files
from workflows.common.stage_cache import StageCache
from workflows.wire.events import Event, LogEvent, StageEvent

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that is killed is a fork of this one")

OPERATIONS = {"os.remove", "os.rmdir", "os.rename", "os.mkdir", "os.link"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
UNTOUCHED, FAILED, SURVIVED = 0, 1, 2
Act = Callable[[], None]


def make_stage(folder: Path) -> list[dict[str, Any]]:
    """A stage in the twinkling of an eye: two files, one of them deeper."""
    (folder / "graphs").mkdir()
    (folder / "graphs" / "decoder.zip").write_bytes(b"archive")
    (folder / "weights.data").write_bytes(bytes(range(256)))
    return [{"name": "export"}]


def small_build(out: Path, report: Callable[[Event], None] = lambda _: None) -> None:
    """What `build` does with its folders, without a model."""
    with open_workspace(out, True, report, lambda: False) as work:
        stages = [work.stage(name, "0" * 64, make_stage) for name in ("export", "optimize")]
        draft = work.draft_folder("bundle")
        (draft / "tokenizer").mkdir()
        (draft / "pipeline.json").write_text(json.dumps(pipeline()))
        (draft / "tokenizer" / "tokenizer.json").write_text("{}")
        for name in ("prefill.onnx", "decode.onnx"):
            (draft / name).write_bytes(b"graph")
        os.link(stages[-1] / "weights.data", draft / "weights.data")
        publish(draft, out, force=True)


class Trap:
    """Does `act` right before the `count`-th change of the file system by this process, once. For a fork alone."""

    def __init__(self, count: int, act: Act) -> None:
        self.left, self.act = count, act

    def set(self) -> None:
        """Begins to count."""
        sys.addaudithook(self._hear)

    @property
    def sprung(self) -> bool:
        return self.left <= 0

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in OPERATIONS or (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES):
            self.left -= 1
            if self.left == 0:
                self.act()


def forked(trap: Trap, work: Act) -> int:
    """How a fork that does `work` ended: by SIGKILL, or UNTOUCHED by the trap, SURVIVED it, or FAILED."""
    child = os.fork()
    if child == 0:
        code = FAILED
        try:
            work()
            code = SURVIVED if trap.sprung else UNTOUCHED
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def trapped_build(out: Path, count: int, act: Act) -> int:
    """How a small build in a fork ended that met `act` at its `count`-th change."""
    trap = Trap(count, act)

    def work() -> None:
        trap.set()
        small_build(out)

    return forked(trap, work)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuse() -> None:
    raise PermissionError(13, "Permission denied")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process here loses its power, and a disk takes its time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(params=["exchange", pytest.param("two renames", marks=pytest.mark.slow)])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "two renames":
        monkeypatch.setattr(files, "_exchange_names", lambda *_: False)


@pytest.mark.parametrize("act", [kill, refuse])
def test_after_a_crash_anywhere_the_next_build_needs_no_hand(tmp_path: Path, _way: None, act: Act) -> None:
    """From the first to the last operation of a small build over an old bundle; afterwards nothing but the bundle."""
    small_build(tmp_path / "whole")
    expected = below(tmp_path / "whole")
    for count in range(1, 500):
        root = tmp_path / str(count)
        out = Path(shutil.copytree(tmp_path / "whole", root / "out"))
        (out / "weights.data").write_bytes(b"\0" * 256)
        ended = trapped_build(out, count, act)
        assert ended in (UNTOUCHED, -signal.SIGKILL) if act is kill else ended >= 0
        small_build(out)
        assert below(out) == expected, f"at operation {count}"
        assert [path.name for path in root.iterdir()] == ["out"], f"at operation {count}"
        if ended == UNTOUCHED:
            break
    assert 40 < count < 499  # the trap heard something, and was set everywhere


@pytest.mark.slow
@pytest.mark.parametrize("act", [kill, refuse])
def test_at_every_moment_the_old_bundle_or_the_new_one_is_there(tmp_path: Path, act: Act) -> None:
    """Where names can be exchanged there is no moment between the two."""
    small_build(tmp_path / "whole")
    new = below(tmp_path / "whole")
    if not files._exchange_names(tmp_path / "whole", Path(shutil.copytree(tmp_path / "whole", tmp_path / "twin"))):
        pytest.skip("this file system cannot exchange two names")
    (tmp_path / "whole" / "weights.data").write_bytes(b"\0" * 256)
    old, states = below(tmp_path / "whole"), set[str]()
    for count in range(1, 500):
        out = Path(shutil.copytree(tmp_path / "whole", tmp_path / str(count) / "out"))
        ended = trapped_build(out, count, act)
        found = below(out)
        assert found in (old, new), f"at operation {count}"
        states.add("old" if found == old else "new")
        if ended == UNTOUCHED:
            break
    assert states == {"old", "new"}


# -- a stage that an earlier build left ---------------------------------------------------------------------------


def replace_by(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def spoil(stage: Path) -> None:
        shutil.rmtree(stage)
        make(stage)

    return spoil


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a file is missing": lambda stage: (stage / "weights.data").unlink(),
    "a file is cut short": lambda stage: (stage / "weights.data").write_bytes(b"short"),
    "a byte is another": lambda stage: (stage / "weights.data").write_bytes(bytes(255) + b"!"),
    "a file too many": lambda stage: (stage / "graphs" / "old.zip").write_bytes(b""),
    "no evidence": lambda stage: (stage / "evidence.json").unlink(),
    "no manifest": lambda stage: (stage / "manifest.json").unlink(),
    "half a manifest": lambda stage: (stage / "manifest.json").write_text('{"version": 1, "fil'),
    "empty": replace_by(lambda stage: stage.mkdir()),
    "a file": replace_by(lambda stage: stage.write_text("")),
    "a link to nowhere": replace_by(lambda stage: stage.symlink_to("nowhere")),
}


@pytest.fixture
def work(tmp_path: Path) -> Iterator[tuple[BuildWorkspace, list[Event]]]:
    """A work folder whose stage `export` is whole, and what it reports from then on."""
    events: list[Event] = []
    work = BuildWorkspace(tmp_path / "work", events.append, lambda: False, StageCache())
    work.stage("export", "0" * 64, make_stage)
    events.clear()
    yield work, events


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_stage_that_is_damaged_in_any_way_is_made_anew(work: tuple[BuildWorkspace, list[Event]], damage: str) -> None:
    """It is said, and the stage is whole again."""
    bench, events = work
    stage = bench.folder / f"export-{'0' * 16}"
    whole = below(stage).keys()
    DAMAGE[damage](stage)
    assert bench.stage("export", "0" * 64, make_stage) == stage
    assert [e.state for e in events if isinstance(e, StageEvent)] == ["started", "done"]
    assert any("is damaged: it is made again" in e.message for e in events if isinstance(e, LogEvent))
    assert below(stage).keys() == whole
    assert (stage / "weights.data").read_bytes() == bytes(range(256))
    assert [path.name for path in bench.folder.iterdir()] == [stage.name]


def test_a_stage_that_is_whole_is_taken(work: tuple[BuildWorkspace, list[Event]]) -> None:
    """The control."""
    bench, events = work
    bench.stage("export", "0" * 64, lambda _: pytest.fail("it was made again"))
    assert [e.state for e in events if isinstance(e, StageEvent)] == ["reused"]


@pytest.mark.slow
def test_a_real_build_that_is_killed_while_it_cleans_up(tmp_path: Path, default_bundle: Path) -> None:
    """At changes between publishing and the end; the next --force build makes the same graphs and weights."""
    out = Path(shutil.copytree(default_bundle, tmp_path / "out"))
    request = BuildRequest("demo:qwen3", out, {}, force=True)
    ends = set[int]()
    for count in (5, 15, 20, 25, 30, 35):
        trap = Trap(count, kill)

        def set_trap(event: Event, trap: Trap = trap) -> None:
            if isinstance(event, StageEvent) and (event.stage, event.state) == ("bundle", "started"):
                trap.set()

        def rebuild(set_trap: Callable[[Event], None] = set_trap) -> None:
            torch.set_num_threads(1)  # a fork has none of the threads that OpenMP started here, and would wait for them
            build(request, set_trap)

        ends.add(forked(trap, rebuild))
        build(request)
        assert verify_bundle(out).ok
        for name in ("decoder.onnx", "weights.data"):
            assert (out / name).read_bytes() == (default_bundle / name).read_bytes()
        assert [path.name for path in tmp_path.iterdir()] == ["out"], f"at change {count}"
    assert -signal.SIGKILL in ends

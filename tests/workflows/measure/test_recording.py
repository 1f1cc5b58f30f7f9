"""What becomes a kept run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.bundle.making import bundle
from workflows.bundle import read_bundle
from workflows.measure.history import FILE, History, short_digest
from workflows.measure.recording import record_build, watched
from workflows.wire.events import BuildDone, Event, StageEvent


def test_a_build_keeps_the_time_and_memory_of_each_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that ran: what was there already took no time of its own."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    folder = bundle(tmp_path / "small")
    stages, heard = dict[str, StageEvent](), list[Event]()
    for event in (
        StageEvent(stage="export", state="started"),
        StageEvent(stage="export", state="done", seconds=2.5, peak_mib=640.0),
        StageEvent(stage="optimize", state="skipped", note="done before"),
    ):
        watched(heard.append, stages)(event)
    done = BuildDone(bundle=str(folder), seconds=3.5, bytes=99, components=["decode"])
    record_build(done, stages, pytest.fail)
    (run,) = History(tmp_path / "home" / FILE).runs()
    assert len(heard) == 3 and run.digest == short_digest(read_bundle(folder).digest) and run.name == "small"
    assert run.figures == {
        "seconds": 3.5, "bytes": 99, "export_s": 2.5, "export_peak_mib": 640.0, "peak_mib": 640.0,
    }  # fmt: skip

"""The times of stages add up to the whole, whatever runs within another."""

from __future__ import annotations

import pytest

from workflows.wire.stage_times import OTHER, StageTime, stage_times

SECONDS = {"import": 10.4, "export": 32.7, "optimize": 1.5, "checkpoint": 0.6, "bundle": 0.4}


def test_what_runs_within_another_is_not_counted_twice() -> None:
    times = stage_times(SECONDS, 35.9)
    assert times == [
        StageTime("checkpoint", 0.6),
        StageTime("export", 32.7),
        StageTime("import", 10.4, inner=True),
        StageTime("optimize", 1.5),
        StageTime("bundle", 0.4),
        StageTime(OTHER, pytest.approx(0.7)),
    ]
    assert sum(time.seconds for time in times if not time.inner) == pytest.approx(35.9)
    assert [time.title for time in times][1:3] == ["export", "loading PyTorch"]


def test_the_import_of_another_folder_is_the_whole() -> None:
    assert stage_times({"import": 2.0}, 2.05) == [StageTime("import", 2.0)]
    assert stage_times({"import": 2.0}, 2.05)[0].title == "import"

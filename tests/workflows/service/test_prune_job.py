"""What the window asks of the history at its start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.workflows.measure.test_history import RUN
from workflows.common.errors import RequestError
from workflows.measure.history import RunHistory
from workflows.service import JobContext, JobRunner
from workflows.wire.events import ResultEvent
from workflows.wire.reports.base import Done
from workflows.wire.requests import PruneRuns


def test_the_newest_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path))
    for day in range(1, 6):
        RunHistory().add(replace(RUN, id=f"r{day}", time=f"2026-01-0{day}T00:00:00.000+00:00"))
    events = list(JobRunner().run(PruneRuns(2), JobContext(lambda event: None, lambda: False)))
    assert [event.value for event in events if isinstance(event, ResultEvent)] == [Done()]
    assert [run.id for run in RunHistory().runs()] == ["r5", "r4"]


def test_none_at_all_is_refused() -> None:
    with pytest.raises(RequestError, match="above 0"):
        PruneRuns(0)

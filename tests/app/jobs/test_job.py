"""A job's answer reaches who asked for it, and nobody after Qt has deleted them."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QLabel

from app.jobs.job import Job
from app.measure.divergence.dialog import DivergenceDialog
from tests.app.conftest import make_bundle
from workflows.wire.events import ErrorEvent, Event, ResultEvent
from workflows.wire.reports.base import Done
from workflows.wire.requests import ListDevices


@pytest.mark.parametrize("event", [ResultEvent(value=Done()), ErrorEvent(kind="request", message="No.")])
@pytest.mark.parametrize("deleted", [False, True])
def test_a_deleted_owner_is_not_called(qapp: Any, event: Event, deleted: bool) -> None:
    job: Job[Any] = Job(1, ListDevices(), lambda _job: None)
    owner, taken = QLabel(), list[object]()
    job.on_answer(taken.append, owner)
    job.on_error(taken.append, owner)
    if deleted:
        owner.deleteLater()
        QCoreApplication.sendPostedEvents(owner, QEvent.Type.DeferredDelete)
    job.take(event)
    assert len(taken) == (not deleted)


def test_a_dialog_is_closed_before_its_stages_are_known(qtbot: Any, make_context: Any, tmp_path: Any) -> None:
    """An exception in the answer's slot would fail the test."""
    context = make_context(hang_on="inspect")
    context.open_bundle(make_bundle(tmp_path / "mine"))
    dialog = DivergenceDialog(context)
    dialog.show()
    pending = context.probe_worker._jobs
    inspections = [job for job in pending.values() if job.request.job == "inspect"]
    dialog.close()
    QCoreApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
    assert inspections
    for job in inspections:
        pending.pop(job.id).take(ResultEvent(value=Done()))

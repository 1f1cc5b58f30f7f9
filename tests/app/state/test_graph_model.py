"""The graph that is looked at is the one that was asked for, whatever a person does while it arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.jobs.worker_client import WorkerClient
from app.state.graph_model import GraphModel
from tests.fakes.worker import program

SCOPE = "model/layers.1"


@pytest.fixture
def model(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[GraphModel]:
    """The last stage of a bundle is shown; from now on each step of work has a turn of its own."""
    worker = WorkerClient(program())
    made = GraphModel(worker)
    made.folds = False
    made.open("/b/demo", "decode")
    qtbot.waitUntil(lambda: made.scene is not None)
    monkeypatch.setattr("app.jobs.time_slices.SLICE_MS", 0.0)
    yield made
    worker.close()


def open_scope(model: GraphModel) -> None:
    model.toggle(SCOPE)


def fold(model: GraphModel) -> None:
    model.set_folds(True)


def fetched(model: GraphModel) -> bool:
    """The worker has answered, and the answer is being read."""
    return not model.loader.fetching and model._slices.busy


@pytest.mark.parametrize("act", [open_scope, fold])
@pytest.mark.parametrize("reading", [True, False])
def test_what_is_done_meanwhile_does_not_keep_it_away(
    qtbot: QtBot, model: GraphModel, act: Callable[[GraphModel], None], reading: bool
) -> None:
    busy = list[Any]()
    model.busyChanged.connect(lambda on: busy.append((on, model.relaying)))
    model.go_stage(0)
    asked = model.where
    if reading:
        model._slices._timer.setInterval(200)  # a turn of its own is over before anybody looks
        qtbot.waitUntil(lambda: fetched(model))
        model._slices._timer.setInterval(0)
    act(model)
    qtbot.waitUntil(lambda: not model.busy)
    assert model.graph is not None and asked is not None and model.where == asked
    assert model.graph.where == asked and model.scene is not None and model.scene.graph is model.graph
    assert busy[-1] == (False, False)  # what is drawn is not held back any more
    assert model.folds == (act is fold)

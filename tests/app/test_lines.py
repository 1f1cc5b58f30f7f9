"""Large lines: read in slices as json.loads reads them, and taken in their order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.jobs.message_reader import LARGE, decode_in_steps
from app.jobs.time_slices import SLICE_MS, TimeSlicer, run_at_once
from app.jobs.worker_client import WorkerClient
from tests.fakes.graphs import decoder_graph
from tests.fakes.worker import program
from workflows.wire.codec import dumps
from workflows.wire.events import ResultEvent
from workflows.wire.reports.graphs import GraphReport
from workflows.wire.reports.inspection import VerifyReport
from workflows.wire.requests import GraphReference, ShowGraph, VerifyBundle

leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


@settings(max_examples=200, deadline=None)
@given(values, st.sampled_from([None, 1]))
def test_same_as_json_loads(value: Any, indent: int | None) -> None:
    raw = json.dumps(value, ensure_ascii=False, indent=indent).encode(errors="surrogatepass")
    assert run_at_once(decode_in_steps(raw)) == value


@pytest.mark.parametrize("raw", [b"", b"{", b'{"a" 1}', b"[1 2]", b"[1,]", b'{"a": 1} x', b"nonsense", b"[[[1, 2"])
def test_what_is_no_json(raw: bytes) -> None:
    with pytest.raises(ValueError):
        run_at_once(decode_in_steps(raw))


def test_a_large_answer_arrives_whole_and_in_order(qtbot: QtBot, tmp_path: Path) -> None:
    answer = decoder_graph(5000)
    file = tmp_path / "graph.json"
    file.write_text(dumps(answer))
    assert file.stat().st_size > 4 * LARGE
    worker, order = WorkerClient(program(graph=str(file))), []
    try:
        large = worker.request(ShowGraph(GraphReference("/b", "decode", "final")))
        small = worker.request(VerifyBundle("/b"))
        large.finished.connect(lambda event: order.append(event))
        small.finished.connect(lambda event: order.append(event))
        qtbot.waitUntil(lambda: len(order) == 2)
    finally:
        worker.close()
    first, second = order
    assert isinstance(first, ResultEvent) and isinstance(second, ResultEvent)
    assert isinstance(first.value, GraphReport) and isinstance(second.value, VerifyReport)
    assert first.value.nodes == answer.nodes and second.value.files == 4


def test_slices_let_the_window_live_and_the_last_work_wins(qtbot: QtBot) -> None:
    slices, results = TimeSlicer(), list[object]()

    def work(result: str) -> Any:
        import time

        for _ in range(4):
            time.sleep(0.006)
            yield
        return result

    slices.run(work("first"), results.append, results.append)
    assert slices.busy and not results
    slices.run(work("second"), results.append, results.append)
    qtbot.waitUntil(lambda: not slices.busy)
    assert results == ["second"]


def test_what_follows_a_full_slice_has_a_turn_of_its_own(qtbot: QtBot) -> None:
    slices, results = TimeSlicer(), list[object]()

    def work() -> Any:
        import time

        yield
        time.sleep(2 * SLICE_MS / 1000)
        return "late"

    slices.run(work(), results.append, results.append)
    assert slices.busy and not results
    qtbot.waitUntil(lambda: not slices.busy)
    assert results == ["late"]


def test_what_is_for_later_has_not_begun(qtbot: QtBot) -> None:
    slices, results = TimeSlicer(), list[object]()

    def work() -> Any:
        results.append("begun")
        yield
        return "done"

    slices.run(work(), results.append, results.append, later=True)
    assert slices.busy and not results
    qtbot.waitUntil(lambda: not slices.busy)
    assert results == ["begun", "done"]


def test_slices_hand_over_what_went_wrong() -> None:
    slices, failed = TimeSlicer(), list[ValueError]()

    def work() -> Any:
        yield
        raise ValueError("no graph")

    slices.run(work(), lambda _result: None, failed.append)
    assert [str(error) for error in failed] == ["no graph"] and not slices.busy


@pytest.mark.parametrize("depth", [50_000, LARGE + 50_000])
def test_what_is_nested_too_deeply_is_no_json(qtbot: QtBot, depth: int) -> None:
    """Read at once or in slices; it goes to the log, and the worker's answer comes after it."""
    with pytest.raises(ValueError, match="nested too deeply"):
        run_at_once(decode_in_steps(b"[" * depth))
    worker, logged, ends = WorkerClient(program()), list[str](), list[object]()
    worker.log.connect(logged.append)
    worker.request(VerifyBundle("b")).finished.connect(ends.append)
    worker._reader.feed(b"[" * depth + b"\n")
    qtbot.waitUntil(lambda: bool(ends))
    worker.close()
    assert "[" * depth in logged
    assert isinstance(ends[0], ResultEvent)

"""Events and reports: out and back, at once and in steps; what does not fit is named by its place."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.accuracy import report
from tests.fakes.graphs import decoder_graph, diff_of, small
from tests.fakes.inspections import BUNDLE
from tests.fakes.plans import plan_of
from tests.workflows.wire.making import anything
from workflows.wire import events
from workflows.wire.codec import ABSENT, ELEMENTS_PER_STEP, PayloadMismatch, dumps, read, read_in_steps, to_fields
from workflows.wire.events import (
    BuildDone,
    ErrorEvent,
    Event,
    GenerationDone,
    ResultEvent,
    TokenEvent,
    parse,
    parse_in_steps,
)
from workflows.wire.reports.base import Done, Report
from workflows.wire.reports.bench import BenchReport, Percentiles, SingleRow, UnusableProviderRow
from workflows.wire.reports.graphs import DiffReport, GraphReport
from workflows.wire.requests import REQUESTS

REPORTS = [kind.answer for kind in REQUESTS.values() if issubclass(kind.answer, Report)]
EVENTS = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, Event)]
EVENTS = [kind for kind in EVENTS if kind not in (Event, ResultEvent)]
SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def whole(steps: Any) -> Any:
    """What a generator gives at its end."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


@SETTINGS
@given(st.data())
def test_every_report_comes_back_as_it_was(data: st.DataObject) -> None:
    """As the value of a result, at once and in steps."""
    kind = data.draw(st.sampled_from(REPORTS))
    event = ResultEvent(value=data.draw(anything(kind)))
    payload = json.loads(event.to_line(5))
    assert payload["job"] == 5
    assert parse(payload, kind) == whole(parse_in_steps(payload, kind)) == event


@SETTINGS
@given(st.data())
def test_every_event_comes_back_as_it_was(data: st.DataObject) -> None:
    """A done is of the class that the request is answered with."""
    kind = data.draw(st.sampled_from(EVENTS))
    event = data.draw(anything(kind))
    assert parse(json.loads(event.to_line(5)), kind) == event


@pytest.mark.parametrize("made", [BUNDLE, report(), plan_of("demo:qwen3", {}, False), small(), diff_of(small())])
def test_the_fakes_reports_are_what_the_window_reads(made: Report) -> None:
    """Value for value."""
    assert read(type(made), json.loads(dumps(made))) == made


def test_a_large_report_is_read_in_many_steps() -> None:
    """So that the window is never kept for longer than one of them."""
    payload = json.loads(dumps(decoder_graph(3000)))
    steps = list(read_in_steps(GraphReport, payload))
    assert len(steps) > sum(len(piece) for key in ("nodes", "values") for piece in payload[key]) / 250
    assert whole(read_in_steps(GraphReport, payload)) == read(GraphReport, payload)


@dataclass
class _Numbers:
    values: list[int]


def test_a_list_is_read_in_steps_of_200_elements() -> None:
    assert len(list(read_in_steps(_Numbers, {"values": [1] * (2 * ELEMENTS_PER_STEP + 1)}))) == 3


def test_keys_that_are_words_of_python_and_keys_that_stay_away() -> None:
    """A node's ends are "in" and "out"; what only a difference has is not there otherwise, but in rows."""
    graph = small()
    plain = json.loads(dumps(graph.nodes[0]))
    assert plain["in"] == graph.nodes[0].inputs and not {"inputs", "change", "was"} & plain.keys()
    (piece,) = json.loads(dumps(diff_of(graph)))["graph"]["nodes"]
    assert {row[-2] for row in piece} == {"", "removed", "added", "changed"} and len(piece[0]) == len(plain) + 2
    assert "suggestions" not in to_fields(report())
    assert "files" not in ErrorEvent(kind="x", message="y").to_dict()


def change_row(pieces: list[list[list[object]]], column: int, value: object) -> None:
    """The third row of the first piece has another value."""
    pieces[0][2][column] = value


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda graph: graph.pop("nodes"), "lacks its 'graph.nodes'"),
        (lambda graph: graph.update(nodes={}), "needs a list of rows as its 'graph.nodes'"),
        (lambda graph: graph["nodes"][0][2].pop(), "needs rows of 11 as its 'graph.nodes[0]'"),
        (lambda graph: change_row(graph["nodes"], 1, 7), "needs a text as its 'graph.nodes[0][2].op'"),
        (lambda graph: change_row(graph["values"], 2, [None]), "needs a text as its 'graph.values[0][2].shape[0]'"),
        (lambda graph: graph["facts"].update(speed=1), "takes no 'graph.facts.speed'"),
        (lambda graph: graph.update(stages={}), "needs a list of objects as its 'graph.stages'"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(change: Any, sentence: str) -> None:
    """At once and in steps alike."""
    payload = json.loads(dumps(diff_of(small())))
    change(payload["graph"])
    for reading in (lambda: read(DiffReport, payload), lambda: whole(read_in_steps(DiffReport, payload))):
        with pytest.raises(PayloadMismatch) as caught:
            reading()
        assert str(caught.value) == sentence


def test_one_of_several_classes() -> None:
    """The rows of a measurement: each kind is told by its fields."""
    single = SingleRow("cpu", 3, {"x": [1, 4]}, Percentiles(1, 2, 3), 500.0, 9)
    rows = BenchReport([UnusableProviderRow("dml", "No."), single])
    assert read(BenchReport, json.loads(dumps(rows))) == rows
    assert json.loads(dumps(rows))["rows"][0] == {"provider": "dml", "reason": "No.", "usable": False}


@pytest.mark.parametrize(
    "payload",
    [
        None,
        5,
        [],
        {},
        {"event": "nonsense"},
        {"event": None},
        {"event": "result"},
        {"event": "result", "value": {"x": 1}},
        {"event": "done"},
        {"event": "log"},
        {"event": "log", "message": "m", "more": 1},
    ],
)
def test_what_is_no_event(payload: object) -> None:
    """The window writes it to its log."""
    with pytest.raises(ValueError):
        parse(payload, Done)
    with pytest.raises(ValueError):
        whole(parse_in_steps(payload, Done))


def test_a_done_is_what_was_requested() -> None:
    """Two events bear one name on the wire."""
    built = BuildDone(bundle="/b", seconds=1.0, bytes=2, components=["decoder"])
    payload = json.loads(built.to_line(1))
    assert parse(payload, BuildDone) == built
    with pytest.raises(PayloadMismatch, match="takes no 'bundle'"):
        parse(payload, GenerationDone)


def test_numbers_are_not_taken_for_others() -> None:
    """True is no number, 1 is a float, 1.0 is no whole number; a token's alternatives are three things each."""
    token = {"id": 5, "text": "56", "step": 0, "phase": "prefill", "latency_ms": 3, "cache_used": 9}
    payload: dict[str, Any] = {"event": "token", **token, "cache_capacity": 256, "alternatives": [[5, "56", 1]]}
    found = parse(payload, GenerationDone)
    assert isinstance(found, TokenEvent)
    assert type(found.latency_ms) is float and found.alternatives == [(5, "56", 1.0)]
    wrong_ones = [("id", True), ("id", 5.0), ("latency_ms", "3"), ("latency_ms", 10**400), ("phase", "late")]
    for name, wrong in (*wrong_ones, ("alternatives", [[5]])):
        with pytest.raises(PayloadMismatch, match=name):
            parse({**payload, name: wrong}, GenerationDone)


def test_what_has_no_place_on_the_wire() -> None:
    """A class that is declared wrongly is told when it is first used."""

    @dataclass
    class Odd:
        names: set[str] = field(default_factory=set, metadata=ABSENT)

    with pytest.raises(TypeError):
        dumps(Odd({"x"}))
    with pytest.raises(TypeError):
        dumps({"x": {1}})

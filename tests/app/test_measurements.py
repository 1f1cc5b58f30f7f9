"""What measurements make of chunk and token events, and whose they are: values against literal figures."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.jobs.time_slices import run_at_once
from app.measure.charts.plot_exporter import COLUMNS, csv_in_steps
from app.state.column_store import ColumnStore
from app.state.measured_runs import RunConfiguration, run_configuration
from app.state.measurement_snapshot import CHUNK, DECODE, FIRST
from app.state.measurements import Measurements
from tests.app.conftest import make_bundle
from workflows.wire.events import ChunkEvent, ReadyEvent, SpeculationEvent, SpeculationUse, TokenEvent

BEGAN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
FP32 = RunConfiguration("/b/demo", "demo", "fp32", "cpu", "static", 256, "2026-01-01")
INT4 = replace(FP32, path="/b/demo-int4", name="demo-int4", precision="int4")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def chunk(tokens: int, latency_ms: float, start: int = 0) -> ChunkEvent:
    return ChunkEvent(
        start=start, tokens=tokens, total=96, latency_ms=latency_ms, cache_used=start + tokens, cache_capacity=256
    )


def token(step: int, latency_ms: float, text: str = "a", phase: str = "decode") -> TokenEvent:
    return TokenEvent(
        id=step, text=text, step=step, phase=phase, latency_ms=latency_ms, cache_used=96 + step, cache_capacity=256
    )


def reply(m: Measurements, owner: RunConfiguration, latency_ms: float = 4.0) -> None:
    """A run of `owner`: a chunk of 10 ms, a first token, and one of `latency_ms`."""
    m.owner = owner
    m.begin()
    m.add_chunk(chunk(8, 10.0))
    m.add_token(token(0, 11.0, "a", "prefill"))
    m.add_token(token(1, latency_ms, "b"))
    m.end()


def drafted_reply(m: Measurements, runs: list[tuple[int, int]]) -> None:
    """A run whose steps of 5 ms drafted and kept so much; all but the last token of each were drafted."""
    m.begin()
    m.add_token(token(0, 10.0, "a", "prefill"))
    step = 1
    for drafted, kept in runs:
        for at in range(kept):
            m.add_token(token(step + at, 0.0 if at else 5.0))
        look = {"step": step, "drafted": drafted, "accepted": kept - 1, "kept": kept}
        m.add_speculation(SpeculationEvent(by="ngram", latency_ms=5.0, **look))
        step += kept
    m.end()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def measured(clock: Clock) -> Measurements:
    """A prompt of 96 tokens in two chunks, then four tokens."""
    m = Measurements(size=50, clock=clock, now=BEGAN.timestamp)
    m.owner = FP32
    m.begin()
    m.add_chunk(chunk(64, 20.0))
    m.add_chunk(chunk(32, 12.0, start=64))
    m.add_token(token(0, 33.0, "fif", "prefill"))
    for step, latency in ((1, 4.0), (2, 6.0), (3, 5.0)):
        m.add_token(token(step, latency, f"t{step}"))
    clock.now += 0.05
    m.end()
    return m


def test_phases_and_times(measured: Measurements) -> None:
    s = measured.snapshot()
    assert s.kind.tolist() == [CHUNK, CHUNK, FIRST, DECODE, DECODE, DECODE]
    assert s.latency_ms.tolist() == [20, 12, 33, 4, 6, 5]
    assert s.time_s.tolist() == pytest.approx([0.020, 0.032, 0.033, 0.037, 0.043, 0.048])
    assert s.used.tolist() == [64, 96, 96, 97, 98, 99]
    assert [s.text(i) for i in range(6)] == ["", "", "fif", "t1", "t2", "t3"]
    assert (s.run_of(3).number, s.run_of(3).owner, s.run_of(3).began) == (1, FP32, BEGAN.astimezone().isoformat())


def test_figures_separate_the_phases(measured: Measurements) -> None:
    f = measured.snapshot().figures()
    assert (f.prefill.count, f.prefill.p50) == (2, 16.0)
    assert f.prefill.p95 == pytest.approx(19.6)
    assert f.decode.count == 3  # the first token's latency is the TTFT, no decode step
    assert f.decode.p50 == 5.0
    assert f.decode.p95 == pytest.approx(5.9)
    assert f.decode.p99 == pytest.approx(5.98)
    assert (len(f.runs), f.prompt_tokens, f.generated_tokens, f.ttft_ms) == (1, 96, 4, 33.0)
    assert f.decode_rate == pytest.approx(3 / 0.015)
    assert f.prefill_rate == pytest.approx(96 / 0.033)  # per time to first token, as in the history


def test_rates_of_several_replies_are_their_medians() -> None:
    m = Measurements()
    for latency in (4.0, 40.0, 10.0):
        reply(m, FP32, latency)
    assert m.snapshot().figures().decode_rate == pytest.approx(1000 / 10.0)
    assert m.snapshot().runs.common_owner == FP32
    reply(m, INT4, 10.0)
    assert m.snapshot().runs.common_owner is None and m.snapshot().runs[:0].common_owner is None


def test_drafts_are_measured_where_there_are_any(measured: Measurements) -> None:
    """Pooled over what is seen, each step where it ended on the axis; a plain reply has none."""
    assert measured.snapshot().figures().drafts is None
    measured.owner = INT4
    drafted_reply(measured, [(0, 1), (4, 3), (2, 3)])
    s = measured.snapshot("reply")
    assert s.speculation.time_s.tolist() == pytest.approx([0.015, 0.020, 0.025])
    assert (s.speculation.drafted.tolist(), s.speculation.kept.tolist()) == ([0, 4, 2], [1, 3, 3])
    assert s.figures().drafts == SpeculationUse(drafted=6, accepted=4, steps=3, kept=7)
    assert s.figures(0.0151, 0.0199).drafts == SpeculationUse(drafted=4, accepted=2, steps=1, kept=3)
    assert [s.speculation.at(second) for second in (0.009, 0.012, 0.017, 0.0251)] == [-1, 0, 1, -1]
    everything = measured.snapshot()
    assert everything.speculation.run.tolist() == [1, 1, 1] and everything.speculation.time_s[0] > everything.ends[0]
    assert measured.snapshot("bundle", FP32.bundle).figures().drafts is None
    measured.freeze(True)
    drafted_reply(measured, [(8, 1)])
    assert len(measured.snapshot().speculation) == 3
    measured.freeze(False)
    assert len(measured.snapshot().speculation) == 4
    measured.reset()
    assert len(measured.snapshot().speculation) == 0


def test_figures_are_those_of_what_is_seen(measured: Measurements) -> None:
    s = measured.snapshot()
    f = s.figures(0.036, 0.044)  # two decode steps, and none of the others
    assert (f.decode.count, f.decode.p50, f.prefill.count) == (2, 5.0, 0)
    assert (f.ttft_ms, f.prefill_rate, f.prompt_tokens, f.generated_tokens) == (None, None, 0, 2)
    assert f.decode_rate == pytest.approx(2 / 0.010)
    assert s.figures(0.030, 0.031).prefill.p50 == 12.0  # within a block, of which neither end is seen
    assert not s.figures(5, 6).runs


def test_of_the_running_or_last_reply(measured: Measurements) -> None:
    assert measured.reply.ttft_ms == 33.0
    assert measured.reply.decode_rate == pytest.approx(3 / 0.015)
    assert measured.reply.occupancy == (99, 256)
    measured.start_chat()
    assert (measured.reply.ttft_ms, measured.reply.decode_rate, measured.reply.occupancy) == (None, None, None)
    assert len(measured.snapshot()) == 6


def test_a_reply_that_another_chat_left_has_no_figures_in_it(measured: Measurements) -> None:
    measured.begin()
    measured.add_token(token(0, 40.0, "a", "prefill"))
    measured.start_chat()  # the window asks the reply to stop, which it does later
    measured.add_token(token(1, 4.0, "b"))
    measured.end()
    assert (measured.reply.ttft_ms, measured.reply.occupancy) == (None, None)
    assert [run.number for run in measured.snapshot().runs] == [1, 2]
    reply(measured, FP32)
    assert measured.reply.ttft_ms == 11.0


def test_nothing_measured() -> None:
    m = Measurements()
    f = m.snapshot().figures()
    assert m.empty and len(m.snapshot("reply")) == len(m.snapshot("bundle", ("", ""))) == 0
    assert f.prefill.p50 is None and f.decode.p99 is None and f.ttft_ms is None and not f.runs
    assert m.reply.decode_rate is None and m.reply.ttft_ms is None and m.reply.occupancy is None


def test_idle_time_between_runs_is_left_out(measured: Measurements, clock: Clock) -> None:
    clock.now += 600
    measured.begin()
    measured.add_chunk(chunk(8, 10.0))
    s = measured.snapshot()
    assert s.time_s[-1] == pytest.approx(0.048 * 8 / 7 + 0.010)
    assert [s.run_of(i).number for i in range(7)] == [1, 1, 1, 1, 1, 1, 2]
    assert (s.starts.tolist(), s.ends.tolist()) == (
        [0, pytest.approx(0.048 * 8 / 7)],
        [pytest.approx(0.048), s.time_s[-1]],
    )


def test_runs_of_one_bundle_stand_side_by_side() -> None:
    m = Measurements()
    for owner, latency in ((FP32, 4.0), (INT4, 40.0), (FP32, 6.0)):
        reply(m, owner, latency)
    of_one = m.snapshot("bundle", FP32.bundle)
    assert [run.number for run in of_one.runs] == [1, 3]
    assert of_one.figures().decode.p99 == pytest.approx(5.98)
    assert of_one.time_s[3] == pytest.approx(0.015 * 8 / 7 + 0.010)  # no hole where the other bundle's run was
    assert [of_one.text(i) for i in range(6)] == ["", "a", "b", "", "a", "b"]
    last = m.snapshot("reply")
    assert ([run.owner for run in last.runs], last.latency_ms.tolist()) == ([FP32], [10, 11, 6])
    assert [run.owner.name for run in m.snapshot().runs] == ["demo", "demo-int4", "demo"]
    assert m.snapshot().figures().ttft_ms == 11.0
    rebuilt = replace(FP32, built_at="2026-02-02")
    assert len(m.snapshot("bundle", rebuilt.bundle)) == 0


def test_runs_of_a_session_belong_to_what_it_had_open(qtbot: Any, make_context: Any, tmp_path: Path) -> None:
    """Two bundles and two providers; on one of these every prompt fails, and a stop comes amid a reply."""
    context = make_context(reply="one two three", providers={"qnn": "nan"})
    m, session = context.measurements, context.session
    a, b = make_bundle(tmp_path / "a"), make_bundle(tmp_path / "b")
    for folder, provider in ((a, "cpu"), (a, "qnn"), (b, "cpu")):
        session.open(folder, provider, "window", 512)
        session.generate("8*7=")
        qtbot.waitUntil(lambda: not session.busy)
    session.token.connect(lambda event: session.stop() if event.step == 1 else None)
    session.generate("8*7=")
    qtbot.waitUntil(lambda: not session.busy)
    runs = m.snapshot().runs
    assert [(run.number, run.owner.name, run.owner.path) for run in runs] == [
        (1, "a", str(a)),
        (2, "b", str(b)),
        (3, "b", str(b)),
    ]
    first = runs[0].owner
    assert (first.provider, first.precision, first.layout, first.capacity) == ("cpu", "fp32", "window", 512)
    assert first.built_at == "2026-01-02T03:04:05+00:00"
    assert len(m.snapshot("bundle", runs[1].owner.bundle).runs) == 2


def test_a_refused_prompt_is_no_run(measured: Measurements) -> None:
    kept = measured.snapshot().time_s.tolist()
    for chunks in (0, 2):  # refused before anything ran, and cancelled amid the prompt
        measured.begin()
        for _ in range(chunks):
            measured.add_chunk(chunk(8, 10.0))
        measured.end()
        assert measured.snapshot().time_s.tolist() == kept
        assert [run.number for run in measured.snapshot("reply").runs] == [1]
        assert (measured.reply.ttft_ms, measured.reply.occupancy) == (33.0, (99, 256))
    reply(measured, INT4)
    assert [run.number for run in measured.snapshot().runs] == [1, 2]
    assert [measured.snapshot().text(i) for i in (5, 7, 8)] == ["t3", "a", "b"]


def test_memory_is_kept_while_generating(clock: Clock) -> None:
    m = Measurements(clock=clock)
    m.add_memory(50)  # idle: of no run
    m.add_memory(51)
    m.begin()
    clock.now += 2
    m.add_memory(70)
    m.add_token(token(0, 1000.0, "a", "prefill"))
    m.end()
    m.add_memory(90)
    s = m.snapshot()
    assert s.memory_bytes.tolist() == [51, 70, 70]
    assert s.memory_s.tolist() == pytest.approx([0, 2, 2])
    assert s.ends.tolist() == [2]  # the run lasted as long as the worker was at it


def test_memory_of_a_refused_prompt_goes_with_it(measured: Measurements) -> None:
    measured.add_memory(5)
    measured.begin()
    measured.add_memory(7)
    measured.end()
    assert measured.snapshot().memory_bytes.tolist() == []
    measured.begin()
    measured.add_token(token(0, 1.0, "a", "prefill"))
    measured.end()
    assert measured.snapshot().memory_bytes.tolist() == [7, 7]


def test_freeze_stands_still_while_recording_goes_on(measured: Measurements) -> None:
    measured.freeze(True)
    reply(measured, INT4, 9.0)
    assert len(measured.snapshot()) == len(measured.snapshot("reply")) == 6
    measured.freeze(False)
    assert len(measured.snapshot()) == 9
    assert measured.snapshot("reply").latency_ms[-1] == 9.0


def test_ring_keeps_the_newest(clock: Clock) -> None:
    m = Measurements(size=10, clock=clock)
    m.begin()
    for step in range(37):
        m.add_token(token(step, float(step), f"t{step}"))
    s = m.snapshot()
    assert s.latency_ms.tolist() == [float(i) for i in range(27, 37)]
    assert [(s.token_id(i), s.text(i)) for i in range(10)] == [(i, f"t{i}") for i in range(27, 37)]
    assert s.time_s[0] == pytest.approx(0.027)  # what went before is no hole
    m.end()
    reply(m, INT4)
    assert [run.number for run in m.snapshot().runs] == [1, 2]
    for _ in range(3):
        reply(m, INT4)
    assert [run.number for run in m.snapshot().runs] == [2, 3, 4, 5]
    assert m.snapshot().text(len(m.snapshot()) - 1) == "b"


def test_texts_that_no_step_has_any_more_go() -> None:
    """However many others there were: what is kept depends on the steps alone."""
    m = Measurements(size=10)
    m.begin()
    for step in range(500):
        m.add_token(token(step, 1.0, f"t{step}" if step % 3 else "again"))
        s = m.snapshot()
        assert [s.text(i) for i in range(len(s))] == [
            f"t{i}" if i % 3 else "again" for i in range(max(0, step - 9), step + 1)
        ]
        assert len(s.texts) <= 22


def test_slab_is_contiguous_when_it_wraps() -> None:
    slab = ColumnStore("id", 4)
    for i in range(100):
        slab.append(i, -i)
        whole, real = slab.columns()
        assert whole.tolist() == list(range(max(0, i - 3), i + 1)) and (whole.itemsize, real.itemsize) == (4, 8)
        assert real[0] == -max(0, i - 3)
    slab.remove_last(3)
    assert slab.columns()[0].tolist() == [96]
    slab.remove_last(3)
    assert len(slab) == 0


def test_reset(measured: Measurements) -> None:
    before = measured.revision
    measured.reset()
    assert measured.empty and measured.reply.ttft_ms is None and measured.reply.occupancy is None
    assert measured.revision > before
    measured.begin()
    measured.add_token(token(0, 1.0, "a", "prefill"))
    measured.reset()  # amid a reply, which goes on
    measured.add_token(token(1, 2.0, "b"))
    measured.end()
    s = measured.snapshot()
    assert [(run.number, run.owner) for run in s.runs] == [(1, FP32)] and s.latency_ms.tolist() == [2.0]


def test_csv(measured: Measurements) -> None:
    measured.begin()
    measured.add_token(token(4, 7.25, 'a,"b"\nc'))
    rows = list(csv.DictReader(io.StringIO(run_at_once(csv_in_steps(measured.snapshot())))))
    assert len(rows) == 7 and tuple(rows[0]) == COLUMNS
    assert rows[0] == {
        "bundle": "demo",
        "path": "/b/demo",
        "built_at": "2026-01-01",
        "provider": "cpu",
        "precision": "fp32",
        "layout": "static",
        "capacity": "256",
        "run": "1",
        "began": "2026-01-02T03:04:05+00:00",
        "kind": "chunk",
        "phase": "prefill",
        "time_s": "0.020000",
        "latency_ms": "20.000",
        "tokens": "64",
        "cache_used": "64",
        "cache_capacity": "256",
        "token_id": "",
        "text": "",
    }
    assert (rows[2]["kind"], rows[2]["phase"], rows[2]["text"]) == ("token", "prefill", "fif")
    assert (rows[6]["phase"], rows[6]["latency_ms"], rows[6]["text"]) == ("decode", "7.250", 'a,"b"\nc')
    assert [row["run"] for row in rows] == ["1"] * 6 + ["2"]
    assert run_at_once(csv_in_steps(measured.snapshot(), 0.036, 0.044)).count("decode") == 2


def test_what_is_written_stays_as_it_was_while_more_is_measured() -> None:
    m = Measurements(size=4)
    reply(m, FP32, 4.0)
    work = csv_in_steps(m.snapshot().copy())
    for _ in range(9):
        reply(m, INT4, 5.0)
    rows = list(csv.DictReader(io.StringIO(run_at_once(work))))
    assert [(row["bundle"], row["latency_ms"], row["text"]) for row in rows] == [
        ("demo", "10.000", ""),
        ("demo", "11.000", "a"),
        ("demo", "4.000", "b"),
    ]


def test_an_owner_is_what_was_opened() -> None:
    ready = ReadyEvent(
        bundle="/b/x",
        model_type="qwen3",
        route="decoder",
        provider="cpu, prefill=qnn",
        layout="window",
        capacity=512,
        chunk=64,
        vocabulary=9,
        chat_template=True,
        load_seconds=0.1,
    )
    summary = {"path": "/b/x", "name": "qwen3-demo", "precision": "int4", "built_at": "t", "capacity": 4096}
    owner = run_configuration("/b/x/", ready, summary)
    assert owner == RunConfiguration("/b/x", "qwen3-demo", "int4", "cpu, prefill=qnn", "window", 512, "t")
    assert owner.is_of(summary) and not owner.is_of({**summary, "built_at": "later"}) and not owner.is_of(None)
    assert run_configuration("/b/x/", ready, {}) == replace(owner, path="/b/x/", name="x", precision="", built_at="")

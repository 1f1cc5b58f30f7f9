"""What measurements make of chunk and token events: values against literal figures."""

from __future__ import annotations

import csv
import io

import pytest

from app.state.measurements import CHUNK, DECODE, FIRST, Measurements, Slab
from workflows.wire.events import ChunkEvent, TokenEvent


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


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def measured(clock: Clock) -> Measurements:
    """A prompt of 96 tokens in two chunks, then four tokens."""
    m = Measurements(size=50, clock=clock)
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
    assert s.texts == ["", "", "fif", "t1", "t2", "t3"]
    assert (s.prompt_tokens, s.generated_tokens) == (96, 4)


def test_percentiles_keep_the_phases_apart(measured: Measurements) -> None:
    s = measured.snapshot()
    assert (s.prefill.count, s.prefill.p50) == (2, 16.0)
    assert s.prefill.p95 == pytest.approx(19.6)
    assert s.decode.count == 3  # the first token's latency is the TTFT, no decode step
    assert s.decode.p50 == 5.0
    assert s.decode.p95 == pytest.approx(5.9)
    assert s.decode.p99 == pytest.approx(5.98)


def test_rates(measured: Measurements) -> None:
    assert measured.ttft_ms == 33.0
    assert measured.decode_rate == pytest.approx(3 / 0.015)
    assert measured.prefill_rate == pytest.approx(96 / 0.032)
    assert measured.occupancy == (99, 256)


def test_nothing_measured() -> None:
    m = Measurements()
    s = m.snapshot()
    assert len(s) == 0
    assert s.prefill.p50 is None and s.decode.p99 is None
    assert m.decode_rate is None and m.ttft_ms is None and m.occupancy is None


def test_idle_time_between_generations_is_left_out(measured: Measurements, clock: Clock) -> None:
    clock.now += 600
    measured.begin()
    measured.add_chunk(chunk(8, 10.0))
    s = measured.snapshot()
    assert s.time_s[-1] == pytest.approx(0.048 * 8 / 7 + 0.010)
    assert s.generation.tolist() == [1, 1, 1, 1, 1, 1, 2]


def test_memory_is_kept_while_generating(clock: Clock) -> None:
    m = Measurements(clock=clock)
    m.add_memory(50)
    m.add_memory(51)  # idle: not kept until a reply begins
    m.begin()
    clock.now += 2
    m.add_memory(70)
    s = m.snapshot()
    assert s.memory_bytes.tolist() == [50, 51, 70]
    assert s.memory_s.tolist() == pytest.approx([0, 0, 2])
    m.end()
    m.add_memory(90)
    assert m.snapshot().memory_bytes.tolist() == [50, 51, 70, 70]


def test_freeze_stands_still_while_recording_goes_on(measured: Measurements) -> None:
    measured.freeze(True)
    measured.add_token(token(4, 9.0))
    assert len(measured.snapshot()) == 6
    measured.freeze(False)
    assert len(measured.snapshot()) == 7
    assert measured.snapshot().latency_ms[-1] == 9.0


def test_ring_keeps_the_newest(clock: Clock) -> None:
    m = Measurements(size=10, clock=clock)
    m.begin()
    for step in range(37):
        m.add_token(token(step, float(step), f"t{step}"))
    s = m.snapshot()
    assert s.latency_ms.tolist() == [float(i) for i in range(27, 37)]
    assert s.texts == [f"t{i}" for i in range(27, 37)]
    assert s.token_ids == list(range(27, 37))


def test_slab_is_contiguous_when_it_wraps() -> None:
    slab = Slab(2, 4)
    for i in range(100):
        slab.append(i, -i)
        assert slab.column(0).tolist() == list(range(max(0, i - 3), i + 1))
        assert slab.last(1) == -i


def test_reset(measured: Measurements) -> None:
    before = measured.revision
    measured.reset()
    assert len(measured.snapshot()) == 0
    assert measured.ttft_ms is None
    assert measured.revision > before


def test_csv(measured: Measurements) -> None:
    measured.add_token(token(4, 7.25, 'a,"b"\nc'))
    rows = list(csv.DictReader(io.StringIO(measured.to_csv())))
    assert len(rows) == 7
    assert rows[0] == {
        "generation": "1",
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

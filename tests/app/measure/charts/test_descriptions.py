"""What stands over and under the plots, in words: latencies, owners, replies, and each kind of step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.measure.charts.descriptions import (
    capacity_text,
    format_latency,
    mark_text,
    owner_title,
    plots_text,
    shown_runs_text,
    step_text,
)
from app.state.measured_runs import RunConfiguration
from tests.app.test_charts_parts import FP32, INT4, runs


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.17, "0.17 ms"), (5.254, "5.25 ms"), (21.46, "21.5 ms"), (240.4, "240 ms"), (240.6, "241 ms"),
     (1234.4, "1,234 ms")],
)  # fmt: skip
def test_a_latency_has_three_figures(qapp: object, value: float, text: str) -> None:
    assert format_latency(value) == text


@pytest.mark.parametrize(
    ("owner", "title"),
    [
        (FP32, "demo · cpu · fp32 · static 256"),
        (replace(FP32, layout="", capacity=None), "demo · cpu · fp32"),
        (replace(FP32, precision=""), "demo · cpu · static 256"),
    ],
)
def test_an_owner_shows_what_is_known(qapp: object, owner: RunConfiguration, title: str) -> None:
    assert owner_title(owner) == title


def test_a_mark_names_all_that_changed(qapp: object) -> None:
    assert mark_text(FP32, replace(INT4, provider="qnn", capacity=512)) == "demo-int4 · qnn · int4 · static 512"
    assert capacity_text(4096) == "capacity 4,096"


def test_a_cache_without_slots_has_no_capacity(qapp: object) -> None:
    alone = runs(replace(FP32, layout="state")).snapshot()
    assert " · context 9 tokens · " in step_text(alone, 2) and plots_text(alone, -1, 10).endswith("context 10 tokens.")


def test_what_the_figures_are_of(qapp: object) -> None:
    one, two = runs(FP32).snapshot(), runs(FP32, INT4).snapshot()
    assert shown_runs_text(one.figures(), False).startswith("Of 1 reply: demo · cpu · fp32 · static 256 · ")
    assert shown_runs_text(two.figures(), True).startswith("Visible part of 2 replies: demo · cpu · fp32")
    assert shown_runs_text(one.figures(50, 60), True) == "This part of the time axis has no steps."


@pytest.mark.parametrize(
    ("index", "begins", "ends"),
    [
        (0, "prefill chunk · 8 tokens · 100 ms · cache 8 of 256", "run 1 · demo · cpu · fp32 · static 256"),
        (1, "first token “a” · id 1 · TTFT ", "run 1 · demo · cpu · fp32 · static 256"),
        (2, "decode “a” · id 1 · 10.0 ms · cache 9 of 256", "run 1 · demo · cpu · fp32 · static 256"),
        (-1, "decode “a” · id 1 · 20.0 ms · cache 10 of 256", "run 2 · demo-int4 · cpu · int4 · static 256"),
    ],
)
def test_a_step_in_one_line(qapp: object, index: int, begins: str, ends: str) -> None:
    snapshot = runs(FP32, INT4).snapshot()
    text = step_text(snapshot, index % len(snapshot))
    assert text.startswith(begins) and text.endswith(ends)

"""Latencies and steps in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.state.measurements import CHUNK, FIRST, Snapshot
from app.widgets.format import number


def latency(value: float) -> str:
    """Milliseconds with three figures where they are small: 0.17 ms, 5.25 ms, 21.5 ms, 240 ms."""
    return f"{number(value, 2 if value < 10 else 1 if value < 100 else 0)} ms"


def describe_step(s: Snapshot, index: int) -> str:
    """A step in one line: what it was, how long it took, where the cache stood."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("Measurements", text)

    took = latency(s.latency_ms[index])
    cache = tr("cache {0} of {1}").format(number(s.used[index]), number(s.capacity[index]))
    at = tr("at {0} s").format(number(s.time_s[index], 3))
    if s.kind[index] == CHUNK:
        return " · ".join((tr("prefill chunk"), tr("{0} tokens").format(number(s.tokens[index])), took, cache, at))
    text = s.texts[index].replace("\n", "⏎").replace(" ", "␣")
    first = s.kind[index] == FIRST
    what = (tr("first token “{0}”") if first else tr("decode “{0}”")).format(text)
    return " · ".join((what, f"id {s.token_ids[index]}", f"TTFT {took}" if first else took, cache, at))

"""What is drawn of a snapshot between two times: curves, labels and ranges, in the coordinates of the plots.

    Snapshot, left, right, Look ──draw──▶ Drawing ──▶ the window's plots | an SVG file

On a log scale the coordinates of latency are its decimal logarithm. Curves of different runs do not touch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.measure.charts.descriptions import capacity_text, mark_text, mean_text, pale_bars_text
from app.measure.charts.latency_style import LatencyStyle
from app.measure.charts.point_items import block_outline, peak_indices
from app.measure.charts.time_zoom import with_headroom
from app.state.measurement_snapshot import CHUNK, DECODE, MeasurementFigures, MeasurementSnapshot
from app.state.speculation_steps import SpeculationSteps
from app.text.formatting import format_latency

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]

Range = tuple[float, float]
MIB = 1024 * 1024
BLOCKS, BARS = 512, 2048
"""More prefill chunks, or runs with drafts, than this are thinned, as points are."""
SHORTEST_MS = 1e-3
"""What a logarithm is taken of at least; blocks on a log scale stand on it."""
LOG_STEP = 0.05


class Curve(NamedTuple):
    """x [n] in seconds, y [n]; NaN where one part ends and the next begins."""

    x: Floats
    y: Floats


class Label(NamedTuple):
    """Text that stands at a coordinate."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class PlotData:
    """Curves of the plots, their ranges, the marks where another owner begins, and the labels at the right."""

    time: Range
    blocks: Curve
    points: Curve
    latency: Range
    offered: Curve
    kept: Curve
    per_step: Range
    used: Curve
    capacity: Curve
    cache: Range
    memory: Curve
    rss: Range
    marks: list[Label]
    levels: list[Label]
    means: list[Label]
    capacities: list[Label]
    log: bool
    drafts: bool

    @property
    def floor(self) -> float:
        """What blocks of latency stand on."""
        return latency_position(0.0, self.log)


def build_plot_data(s: MeasurementSnapshot, time: Range, look: LatencyStyle) -> PlotData:
    """What is to be seen; the percentile lines come with `with_percentiles`."""
    seen = np.flatnonzero(s.seen(*time))
    chunks, decode = (seen[s.kind[seen] == kind] for kind in (CHUNK, DECODE))
    tall = decode if look.fit_decode and len(decode) else np.concatenate([chunks, decode])
    capacity = _capacity(s, seen)
    bars = _bars(s.looks, time)
    offered = s.looks.drafted[bars] + 1
    return PlotData(
        time=time,
        blocks=_blocks(s, chunks, look.log),
        points=_points(s, decode, look.log),
        latency=_latency_range(s.latency_ms[tall], look.log),
        offered=_bar_curve(s.looks, bars, offered),
        kept=_bar_curve(s.looks, bars, s.looks.kept[bars]),
        per_step=(0.0, max([2.0, *offered]) * 1.2),
        used=_thinned(s.time_s, s.used, s.run, _visible_slice(s.time_s, time)),
        capacity=capacity,
        cache=(0.0, max([1.0, *capacity.y]) * 1.2),
        memory=_thinned(s.memory_s, s.memory_bytes / MIB, s.memory_run, _visible_slice(s.memory_s, time)),
        rss=(0.0, with_headroom(float(s.memory_bytes.max()) / MIB * 1.1) if len(s.memory_bytes) else 1.0),
        marks=_marks(s, time),
        levels=[],
        means=[],
        capacities=[Label(float(c), capacity_text(c)) for c in np.unique(capacity.y)],
        log=look.log,
        drafts=len(s.looks) > 0,
    )


def with_percentiles(drawing: PlotData, figures: MeasurementFigures, look: LatencyStyle) -> PlotData:
    """With the lines of the percentiles of `figures`, and the mean of what a step with drafts gave."""
    p = figures.decode if look.lines == "decode" else figures.prefill
    named = (("p50", p.p50), ("p95", p.p95), ("p99", p.p99))
    levels = [Label(latency_position(v, look.log), f"{name} {format_latency(v)}") for name, v in named if v is not None]
    return replace(drawing, levels=levels, means=_means(drawing, figures))


def _means(drawing: PlotData, figures: MeasurementFigures) -> list[Label]:
    """The mean of tokens per step, first, and what the paler bars are."""
    use = figures.drafts
    if use is None or use.tokens_per_step is None:
        return []
    mean = Label(use.tokens_per_step, mean_text(use.tokens_per_step))
    top = float(np.nanmax(drawing.offered.y, initial=0.0))
    return [mean, Label(top, pale_bars_text())] if use.drafted else [mean]


def latency_position(value: float, log: bool) -> float:
    """Where a latency in ms stands."""
    return float(np.log10(max(value, SHORTEST_MS))) if log else value


def _latency_positions(values: Floats, log: bool) -> Floats:
    return np.log10(np.maximum(values, SHORTEST_MS)) if log else values


def _visible_slice(time_s: Floats, time: Range) -> slice:
    """What lies between two times, and one more on either side, so that lines go on to the edge."""
    first, after = np.searchsorted(time_s, time[0], "left"), np.searchsorted(time_s, time[1], "right")
    return slice(max(int(first) - 1, 0), int(after) + 1)


def _blocks(s: MeasurementSnapshot, chunks: Ints, log: bool) -> Curve:
    chunks = chunks[peak_indices(s.latency_ms[chunks], BLOCKS)]
    x, y = block_outline(s.time_s[chunks], s.latency_ms[chunks], s.latency_ms[chunks])
    return Curve(x, _latency_positions(y, log))


def _bars(looks: SpeculationSteps, time: Range) -> Ints:
    """Which runs with drafts are seen; of very many the lowest and highest."""
    seen = np.flatnonzero(looks.seen(*time))
    return seen[peak_indices(looks.kept[seen], BARS)]


def _bar_curve(looks: SpeculationSteps, bars: Ints, height: Floats) -> Curve:
    return Curve(*block_outline(looks.time_s[bars], looks.latency_ms[bars], height))


def _points(s: MeasurementSnapshot, decode: Ints, log: bool) -> Curve:
    kept = decode[peak_indices(s.latency_ms[decode])]
    return Curve(s.time_s[kept], _latency_positions(s.latency_ms[kept], log))


def _latency_range(latency_ms: Floats, log: bool) -> Range:
    if not len(latency_ms):
        return (-1.0, 1.0) if log else (0.0, 1.0)
    if not log:
        return 0.0, with_headroom(float(latency_ms.max()) * 1.1)
    low, high = (latency_position(float(v), log) for v in (latency_ms.min(), latency_ms.max()))
    return (np.floor(low / LOG_STEP) - 1) * LOG_STEP, (np.ceil(high / LOG_STEP) + 1) * LOG_STEP


def _thinned(time_s: Floats, values: Floats, run: Ints, part: slice) -> Curve:
    """A line through the values of each run that keeps their peaks, broken between runs."""
    kept = np.arange(len(time_s))[part]
    kept = kept[peak_indices(values[kept])]
    breaks = np.flatnonzero(np.diff(run[kept])) + 1
    return Curve(np.insert(time_s[kept], breaks, np.nan), np.insert(values[kept], breaks, np.nan))


def _capacity(s: MeasurementSnapshot, seen: Ints) -> Curve:
    """A level line for each run, as long as it lasted."""
    own = s.run[seen]
    runs = np.flatnonzero(np.bincount(own, minlength=len(s.runs)))
    first = np.searchsorted(own, runs)
    x = np.stack([s.starts[runs], s.ends[runs], np.full(len(runs), np.nan)], axis=1).reshape(-1)
    return Curve(x, np.repeat(s.capacity[seen[first]], 3))


def _marks(s: MeasurementSnapshot, time: Range) -> list[Label]:
    """Where runs of another owner begin; none where all are of one."""
    owners = [run.owner for run in s.runs]
    changes = [i for i, (old, new) in enumerate(pairwise(owners), 1) if new is not old and new != old]
    if not changes:
        return []
    first = Label(float(s.starts[0]), owners[0].name)
    later = [Label(float(s.starts[i]), mark_text(owners[i - 1], owners[i])) for i in changes]
    return [mark for mark in (first, *later) if time[0] <= mark.at <= time[1]]

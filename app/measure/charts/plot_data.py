"""The visible part of a snapshot: curves, labels and ranges, in the coordinates of the plots.

    Snapshot, left, right, LatencyStyle ──build_plot_data──▶ PlotData ──▶ the plots of the window | an SVG file

On a log scale, latency coordinates are decimal logarithms. Curves of different runs are not connected.
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
from app.state.measurement_snapshot import CHUNK, DECODE, MeasurementFigures, MeasurementSnapshot, SpeculationSteps
from app.text.formatting import format_latency

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]

Range = tuple[float, float]
MIB = 1024 * 1024
BLOCKS, BARS = 512, 2048
"""The number of prefill chunks, or of runs with drafts, above which they are thinned like points."""
SHORTEST_MS = 1e-3
"""The lower bound for logarithms; blocks on a log scale start there."""
LOG_STEP = 0.05


class Curve(NamedTuple):
    """x [n] in seconds, y [n]; NaN between two parts."""

    x: Floats
    y: Floats


class Label(NamedTuple):
    """A text at a coordinate."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class PlotData:
    """Curves and ranges of the plots, the marks where another owner starts, and the labels at the right."""

    time: Range
    blocks: Curve
    points: Curve
    latency: Range
    drafted: Curve
    accepted: Curve
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
        """The lower edge of latency blocks."""
        return latency_position(0.0, self.log)


def build_plot_data(s: MeasurementSnapshot, time: Range, style: LatencyStyle) -> PlotData:
    """The visible data; `with_percentiles` adds the percentile lines."""
    visible = np.flatnonzero(s.seen(*time))
    chunks, decode = (visible[s.kind[visible] == kind] for kind in (CHUNK, DECODE))
    tall = decode if style.fit_decode and len(decode) else np.concatenate([chunks, decode])
    capacity = _capacity(s, visible)
    bars = _bars(s.speculation, time)
    drafted = s.speculation.drafted[bars] + 1
    return PlotData(
        time=time,
        blocks=_blocks(s, chunks, style.log),
        points=_points(s, decode, style.log),
        latency=_latency_range(s.latency_ms[tall], style.log),
        drafted=_bar_curve(s.speculation, bars, drafted),
        accepted=_bar_curve(s.speculation, bars, s.speculation.kept[bars]),
        per_step=(0.0, max([2.0, *drafted]) * 1.2),
        used=_thinned(s.time_s, s.used, s.run, _visible_slice(s.time_s, time)),
        capacity=capacity,
        cache=(0.0, _highest_fill(s, visible, capacity) * 1.2),
        memory=_thinned(s.memory_s, s.memory_bytes / MIB, s.memory_run, _visible_slice(s.memory_s, time)),
        rss=(0.0, with_headroom(float(s.memory_bytes.max()) / MIB * 1.1) if len(s.memory_bytes) else 1.0),
        marks=_marks(s, time),
        levels=[],
        means=[],
        capacities=[Label(float(c), capacity_text(c)) for c in np.unique(capacity.y)],
        log=style.log,
        drafts=len(s.speculation) > 0,
    )


def with_percentiles(data: PlotData, figures: MeasurementFigures, style: LatencyStyle) -> PlotData:
    """Add the percentile lines of `figures`, and the mean of tokens per step with drafts."""
    p = figures.decode if style.lines == "decode" else figures.prefill
    percentiles = (("p50", p.p50), ("p95", p.p95), ("p99", p.p99))
    levels = [
        Label(latency_position(v, style.log), f"{name} {format_latency(v)}") for name, v in percentiles if v is not None
    ]
    return replace(data, levels=levels, means=_means(data, figures))


def _means(data: PlotData, figures: MeasurementFigures) -> list[Label]:
    """The mean of tokens per step first, then the label of the paler bars."""
    use = figures.drafts
    if use is None or use.tokens_per_step is None:
        return []
    mean = Label(use.tokens_per_step, mean_text(use.tokens_per_step))
    top = float(np.nanmax(data.drafted.y, initial=0.0))
    return [mean, Label(top, pale_bars_text())] if use.drafted else [mean]


def latency_position(value: float, log: bool) -> float:
    """The coordinate of a latency in ms."""
    return float(np.log10(max(value, SHORTEST_MS))) if log else value


def _latency_positions(values: Floats, log: bool) -> Floats:
    return np.log10(np.maximum(values, SHORTEST_MS)) if log else values


def _visible_slice(time_s: Floats, time: Range) -> slice:
    """The steps between two times and one more on either side, so that lines reach the edge."""
    first, after = np.searchsorted(time_s, time[0], "left"), np.searchsorted(time_s, time[1], "right")
    return slice(max(int(first) - 1, 0), int(after) + 1)


def _blocks(s: MeasurementSnapshot, chunks: Ints, log: bool) -> Curve:
    chunks = chunks[peak_indices(s.latency_ms[chunks], BLOCKS)]
    x, y = block_outline(s.time_s[chunks], s.latency_ms[chunks], s.latency_ms[chunks])
    return Curve(x, _latency_positions(y, log))


def _bars(speculation: SpeculationSteps, time: Range) -> Ints:
    """The visible runs with drafts; of very many, the lowest and highest."""
    visible = np.flatnonzero(speculation.seen(*time))
    return visible[peak_indices(speculation.kept[visible], BARS)]


def _bar_curve(speculation: SpeculationSteps, bars: Ints, height: Floats) -> Curve:
    return Curve(*block_outline(speculation.time_s[bars], speculation.latency_ms[bars], height))


def _points(s: MeasurementSnapshot, decode: Ints, log: bool) -> Curve:
    indices = decode[peak_indices(s.latency_ms[decode])]
    return Curve(s.time_s[indices], _latency_positions(s.latency_ms[indices], log))


def _latency_range(latency_ms: Floats, log: bool) -> Range:
    if not len(latency_ms):
        return (-1.0, 1.0) if log else (0.0, 1.0)
    if not log:
        return 0.0, with_headroom(float(latency_ms.max()) * 1.1)
    low, high = (latency_position(float(v), log) for v in (latency_ms.min(), latency_ms.max()))
    return (np.floor(low / LOG_STEP) - 1) * LOG_STEP, (np.ceil(high / LOG_STEP) + 1) * LOG_STEP


def _thinned(time_s: Floats, values: Floats, run: Ints, part: slice) -> Curve:
    """A line through the values of each run that keeps their peaks, with gaps between runs."""
    indices = np.arange(len(time_s))[part]
    indices = indices[peak_indices(values[indices])]
    breaks = np.flatnonzero(np.diff(run[indices])) + 1
    return Curve(np.insert(time_s[indices], breaks, np.nan), np.insert(values[indices], breaks, np.nan))


def _highest_fill(s: MeasurementSnapshot, visible: Ints, capacity: Curve) -> float:
    """The largest capacity; without one, the most tokens."""
    return float(max([1.0, *(capacity.y if len(capacity.y) else s.used[visible])]))


def _capacity(s: MeasurementSnapshot, visible: Ints) -> Curve:
    """A level line over the duration of each run whose cache has slots."""
    visible = visible[s.capacity[visible] > 0]
    own = s.run[visible]
    runs = np.flatnonzero(np.bincount(own, minlength=len(s.runs)))
    first = np.searchsorted(own, runs)
    x = np.stack([s.starts[runs], s.ends[runs], np.full(len(runs), np.nan)], axis=1).reshape(-1)
    return Curve(x, np.repeat(s.capacity[visible[first]], 3))


def _marks(s: MeasurementSnapshot, time: Range) -> list[Label]:
    """The marks where another owner's runs start; none if all runs have one owner."""
    owners = [run.owner for run in s.runs]
    changes = [i for i, (old, new) in enumerate(pairwise(owners), 1) if new is not old and new != old]
    if not changes:
        return []
    first = Label(float(s.starts[0]), owners[0].name)
    later = [Label(float(s.starts[i]), mark_text(owners[i - 1], owners[i])) for i in changes]
    return [mark for mark in (first, *later) if time[0] <= mark.at <= time[1]]

"""Observes the values of runs, and finds their ranges: minmax, percentile, entropy.

    value ──ReduceMin, ReduceMax──▶ one number each ──Concat──▶ calibration.low, calibration.high  [values]
    value ──Identity──▶ calibration.0, calibration.1, …

    outputs of one run ──▶ two numbers a value (minmax), or a histogram of a fixed size ──▶ (low, high)

Only these are stored, so memory does not grow with the samples; for minmax no large tensor leaves the session.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from workflows.common.tensors import Array
from workflows.quantize.base import Ranges
from workflows.recipe.schema import CalibrationSettings

LOW, HIGH, WHOLE = "calibration.low", "calibration.high", "calibration.%d"  # outputs of the graphs that are observed
Names = Mapping[str, Sequence[str]]  # component → the values that are looked at


class RunObserver(Protocol):
    """Observes runs. whole: whether it needs the values themselves, not only minimum and maximum."""

    whole: bool

    def observe(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """Observes one run's outputs, named as `observers` names them."""


class RangeFinder(RunObserver, Protocol):
    """Finds the ranges of observed values."""

    def ranges(self) -> dict[str, Ranges]:
        """Returns the ranges by component; a component that never ran has none."""


def make_range_finder(calibration: CalibrationSettings, names: Names, bits: int) -> RangeFinder:
    """Returns the range finder of the recipe's method. bits: those of the quantization grid."""
    if calibration.method == "minmax":
        return MinMaxRanges(names)
    if calibration.method == "percentile":
        return HistogramRanges(names, lambda histogram: histogram.percentile(calibration.percentile))
    return HistogramRanges(names, lambda histogram: histogram.entropy(min(1 << bits, BINS)))


class MinMaxRanges:
    """The observed minimum and maximum; NaN is ignored."""

    whole = False

    def __init__(self, names: Names) -> None:
        self._names = names
        self._ends: dict[str, tuple[NDArray[np.generic], NDArray[np.generic]]] = {}

    def observe(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        low, high = outputs[LOW], outputs[HIGH]
        if component in self._ends:
            before = self._ends[component]
            low, high = np.fmin(before[0], low), np.fmax(before[1], high)
        self._ends[component] = low, high

    def ranges(self) -> dict[str, Ranges]:
        return {
            component: {
                name: (float(low), float(high)) for name, low, high in zip(self._names[component], *ends, strict=True)
            }
            for component, ends in self._ends.items()
        }


class HistogramRanges:
    """A histogram of each value, and the range from it."""

    whole = True

    def __init__(self, names: Names, choose: Callable[[RangeHistogram], tuple[float, float]]) -> None:
        self._names, self._choose = names, choose
        self._histograms: dict[str, list[RangeHistogram]] = {}

    def observe(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        histograms = self._histograms.setdefault(component, [RangeHistogram() for _ in self._names[component]])
        for index, histogram in enumerate(histograms):
            histogram.add(outputs[WHOLE % index])

    def ranges(self) -> dict[str, Ranges]:
        return {
            component: dict(zip(self._names[component], map(self._choose, histograms), strict=True))
            for component, histograms in self._histograms.items()
        }


BINS = 2048
_HALF = BINS // 2
_SMOOTH = 1e-4  # of a bin that the coarser grid leaves empty: its logarithm is needed


@dataclass
class RangeHistogram:
    """Counts [BINS] of floating-point numbers without NaN. low, high: the smallest and largest."""

    exponent: int | None = None  # None while there was nothing but zeros
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(BINS, np.int64))
    low: float = math.inf
    high: float = -math.inf

    @property
    def width(self) -> float:
        """The width of a bin."""
        return math.ldexp(1.0, (self.exponent or 0) + 1) / BINS

    def add(self, values: Array) -> None:
        """Counts `values`, of any shape."""
        flat = values.reshape(-1).astype(np.float64)
        flat = flat[np.isfinite(flat)]
        if not flat.size:
            return
        low, high = float(flat.min()), float(flat.max())
        self.low, self.high = min(self.low, low), max(self.high, high)
        self._reach(math.frexp(max(-low, high))[1] if low or high else None)
        self.counts += np.bincount(np.floor(flat / self.width).astype(np.int64) + _HALF, minlength=BINS)

    def _reach(self, exponent: int | None) -> None:
        """Doubles the range until it contains numbers below 2 ** exponent."""
        if exponent is None:
            return
        if self.exponent is None:
            self.exponent = exponent  # zeros stay in their bin
        for _ in range(min(exponent - self.exponent, BINS)):
            joined = self.counts.reshape(-1, 2).sum(1)
            self.counts[:] = 0
            self.counts[_HALF // 2 : _HALF + _HALF // 2] = joined
        self.exponent = max(self.exponent, exponent)

    def percentile(self, percentile: float) -> tuple[float, float]:
        """Returns the range that omits (100 - percentile)/2 % of the numbers at each end, to a bin."""
        if not self.counts.any():
            return 0.0, 0.0
        cut = (1 - percentile / 100) / 2
        share = np.cumsum(self.counts) / self.counts.sum()
        first, last = np.searchsorted(share, cut, "right"), np.searchsorted(share, 1 - cut)
        return self._clipped(int(first), min(int(last), BINS - 1) + 1)

    def entropy(self, levels: int) -> tuple[float, float]:
        """Returns the range [-t, t] on whose `levels` steps the distribution loses the least information.

        This is the least KL divergence of Migacz, "8-bit inference with TensorRT" (2017), as onnxruntime has it.
        """
        if not self.counts.any():
            return 0.0, 0.0
        seen = np.flatnonzero(self.counts)
        reach = int(max(_HALF - seen[0], seen[-1] + 1 - _HALF))
        best, least = reach, math.inf
        for half in range(levels // 2, reach + 1):
            lost = kl_divergence(self.counts, half, levels)
            if lost < least:
                best, least = half, lost
        return self._clipped(_HALF - best, _HALF + best)

    def _clipped(self, first: int, stop: int) -> tuple[float, float]:
        """Returns the edges of bins first … stop, clipped to the observed range."""
        return max(self.low, (first - _HALF) * self.width), min(self.high, (stop - _HALF) * self.width)


def kl_divergence(counts: NDArray[np.int64], half: int, levels: int) -> float:
    """Returns KL(p ‖ q): p the middle 2·half bins, with all outliers in their ends; q the same on `levels` steps."""
    middle = counts[_HALF - half : _HALF + half].astype(np.float64)
    p = middle.copy()
    p[0] += counts[: _HALF - half].sum()
    p[-1] += counts[_HALF + half :].sum()
    edges = np.arange(levels) * 2 * half // levels
    sizes = np.diff(np.append(edges, 2 * half))
    filled = p > 0
    share = np.add.reduceat(middle, edges) / np.maximum(np.add.reduceat(filled.astype(np.int64), edges), 1)
    q = np.where(filled, np.repeat(share, sizes), 0)
    if not q.any():
        return math.inf
    p, q = p[filled] / p.sum(), q[filled] / q.sum()
    return float((p * np.log(p / np.maximum(q, _SMOOTH * p))).sum())


_ONE = "calibration.one"


def add_observers(model: onnx.ModelProto, values: Sequence[str], *, whole: bool) -> None:
    """Adds outputs to `model` for `values`, which are float32 and not empty."""
    if not values:
        return
    graph = model.graph
    if whole:
        for index, value in enumerate(values):
            graph.node.append(helper.make_node("Identity", [value], [WHOLE % index]))
            graph.output.append(helper.make_tensor_value_info(WHOLE % index, TensorProto.FLOAT, None))
        return
    graph.initializer.append(numpy_helper.from_array(np.array([1], np.int64), _ONE))
    for op, end in (("ReduceMin", LOW), ("ReduceMax", HIGH)):
        parts = [f"{end}.{index}" for index in range(len(values))]
        for value, part in zip(values, parts, strict=True):
            graph.node.append(helper.make_node(op, [value], [f"{part}.scalar"]))
            graph.node.append(helper.make_node("Reshape", [f"{part}.scalar", _ONE], [part]))
        graph.node.append(helper.make_node("Concat", parts, [end], axis=0))
        graph.output.append(helper.make_tensor_value_info(end, TensorProto.FLOAT, [len(values)]))

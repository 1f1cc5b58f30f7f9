"""Range finders over a stream of runs: minmax, percentile, entropy.

    outputs of one run ──▶ two numbers a value (minmax), or a Histogram of a fixed size ──▶ (low, high)

Only these are stored, so memory does not grow with the samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workflows.quantize.base import Ranges
from workflows.quantize.calibration.histogram import BINS, RangeHistogram
from workflows.recipe.schema import CalibrationSettings

LOW, HIGH, WHOLE = "calibration.low", "calibration.high", "calibration.%d"  # outputs of the graphs that are observed
Names = Mapping[str, Sequence[str]]  # component → the values that are looked at


class RunObserver(Protocol):
    """Observes runs. whole: whether it needs the values themselves, not only minimum and maximum."""

    whole: bool

    def take(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """Observes one run's outputs, named as `observers` names them."""
        ...


class RangeFinder(RunObserver, Protocol):
    """Finds the ranges of observed values."""

    def ranges(self) -> dict[str, Ranges]:
        """Returns the ranges by component; a component that never ran has none."""
        ...


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

    def take(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """See RunObserver."""
        low, high = outputs[LOW], outputs[HIGH]
        if component in self._ends:
            before = self._ends[component]
            low, high = np.fmin(before[0], low), np.fmax(before[1], high)
        self._ends[component] = low, high

    def ranges(self) -> dict[str, Ranges]:
        """See RangeFinder."""
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

    def take(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """See RunObserver."""
        kept = self._histograms.setdefault(component, [RangeHistogram() for _ in self._names[component]])
        for index, histogram in enumerate(kept):
            histogram.add(outputs[WHOLE % index])

    def ranges(self) -> dict[str, Ranges]:
        """See RangeFinder."""
        return {
            component: dict(zip(self._names[component], map(self._choose, kept), strict=True))
            for component, kept in self._histograms.items()
        }

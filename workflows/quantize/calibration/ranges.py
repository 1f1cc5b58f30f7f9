"""minmax, percentile, entropy: ranges of values of which one run at a time is seen.

    outputs of one run ──▶ two numbers a value (minmax), or a Histogram of a fixed size ──▶ (low, high)

Nothing is kept of a run but these, so memory does not grow with the samples.
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
    """Looks at runs. whole: it wants the values themselves, not the ends of each."""

    whole: bool

    def take(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """Looks at one run's outputs, named as taps.py does."""
        ...


class RangeFinder(RunObserver, Protocol):
    """Finds ranges in what it is shown."""

    def ranges(self) -> dict[str, Ranges]:
        """Component → its ranges; a component that never ran has none."""
        ...


def make_range_finder(calibration: CalibrationSettings, names: Names, bits: int) -> RangeFinder:
    """The ranger of the recipe's method. bits: of the grid that the ranges are for."""
    if calibration.method == "minmax":
        return MinMaxRanges(names)
    if calibration.method == "percentile":
        return HistogramRanges(names, lambda histogram: histogram.percentile(calibration.percentile))
    return HistogramRanges(names, lambda histogram: histogram.entropy(min(1 << bits, BINS)))


class MinMaxRanges:
    """The ends that were seen; NaN is none."""

    whole = False

    def __init__(self, names: Names) -> None:
        self._names = names
        self._ends: dict[str, tuple[NDArray[np.generic], NDArray[np.generic]]] = {}

    def take(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """See Ranger."""
        low, high = outputs[LOW], outputs[HIGH]
        if component in self._ends:
            before = self._ends[component]
            low, high = np.fmin(before[0], low), np.fmax(before[1], high)
        self._ends[component] = low, high

    def ranges(self) -> dict[str, Ranges]:
        """See Ranger."""
        return {
            component: {
                name: (float(low), float(high)) for name, low, high in zip(self._names[component], *ends, strict=True)
            }
            for component, ends in self._ends.items()
        }


class HistogramRanges:
    """A histogram a value, and a range of each."""

    whole = True

    def __init__(self, names: Names, choose: Callable[[RangeHistogram], tuple[float, float]]) -> None:
        self._names, self._choose = names, choose
        self._histograms: dict[str, list[RangeHistogram]] = {}

    def take(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """See Ranger."""
        kept = self._histograms.setdefault(component, [RangeHistogram() for _ in self._names[component]])
        for index, histogram in enumerate(kept):
            histogram.add(outputs[WHOLE % index])

    def ranges(self) -> dict[str, Ranges]:
        """See Ranger."""
        return {
            component: dict(zip(self._names[component], map(self._choose, kept), strict=True))
            for component, kept in self._histograms.items()
        }

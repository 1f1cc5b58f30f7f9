"""Ranges over several runs are those of all the numbers together; streamed histograms count as numpy does."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from tests.workflows.optimize.making import parse, values
from workflows.quantize.calibration.ranges import BINS, RangeHistogram, add_observers, kl_divergence, make_range_finder
from workflows.recipe.schema import CalibrationSettings

GRAPH = "g (float[N,4] x) => (float[N,4] y) { h = Mul(x, c)  y = Add(h, x) }"
NAMES = ["x", "h", "y"]
FACTOR = np.array([1, -2, 0.5, 3], np.float32)


def runs() -> list[np.ndarray]:
    return [np.random.default_rng(n).normal(0.1 * n, 1 + n, (n + 1, 4)).astype(np.float32) for n in range(9)]


def seen(method: str, **more: float) -> dict[str, tuple[float, float]]:
    ranger = make_range_finder(CalibrationSettings(method=method, **more), {"decoder": NAMES, "never": ["z"]}, 8)
    proto = ir.to_proto(parse(GRAPH, c=FACTOR))
    assert isinstance(proto, onnx.ModelProto)
    add_observers(proto, NAMES, whole=ranger.whole)
    model = ir.from_proto(proto)
    names = [value.name for value in model.graph.outputs]
    for x in runs():
        outputs = dict(zip(names, values(model, {"x": x}), strict=True))
        ranger.observe("decoder", {name: array for name, array in outputs.items() if name.startswith("calibration")})
    assert set(ranger.ranges()) == {"decoder"}  # a component that never ran has no ranges
    return dict(ranger.ranges()["decoder"])


def everything() -> dict[str, np.ndarray]:
    x = np.concatenate(runs())
    return {"x": x, "h": x * FACTOR, "y": x * FACTOR + x}


def test_minmax_is_that_of_all_runs() -> None:
    for name, array in everything().items():
        assert seen("minmax")[name] == (array.min(), array.max())


@pytest.mark.parametrize("method", ["percentile", "entropy"])
def test_histograms_of_a_stream_are_those_of_all_runs(method: str) -> None:
    found = seen(method, percentile=90)
    for name, array in everything().items():
        at_once = RangeHistogram()
        at_once.add(array)
        assert found[name] == (at_once.percentile(90) if method == "percentile" else at_once.entropy(256))


def test_a_percentile_leaves_the_ends_out() -> None:
    inner, outer = seen("percentile", percentile=90), seen("minmax")
    assert all(outer[name][0] < inner[name][0] < inner[name][1] < outer[name][1] for name in NAMES)


def test_no_number_is_no_end() -> None:
    ranger = make_range_finder(CalibrationSettings(), {"c": ["x"]}, 16)
    for low, high in ((np.nan, 2), (-1, np.nan), (0, 1)):
        ranger.observe("c", {f"calibration.{n}": np.array([v], np.float32) for n, v in (("low", low), ("high", high))})
    assert ranger.ranges() == {"c": {"x": (-1, 2)}}


def pieces(seed: int = 0) -> list[NDArray[np.float32]]:
    """Zeros, small numbers, then ever larger ones, and an outlier: the grid has to widen many times."""
    rng = np.random.default_rng(seed)
    grown = [rng.normal(0.3, 0.01 * 3**step, (7, 40)).astype(np.float32) for step in range(6)]
    return [np.zeros((3, 5), np.float32), *grown, np.array([76.0, -1e-3], np.float32)]


def filled(parts: list[NDArray[np.float32]]) -> RangeHistogram:
    histogram = RangeHistogram()
    for part in parts:
        histogram.add(part)
    return histogram


def test_counts_are_numpy_s_over_everything() -> None:
    parts = pieces()
    histogram = filled(parts)
    everything = np.concatenate([part.reshape(-1) for part in parts]).astype(np.float64)
    edge = histogram.width * BINS / 2
    assert edge == 128  # the power of two beyond 76
    expected, _ = np.histogram(everything, BINS, (-edge, edge))
    np.testing.assert_array_equal(histogram.counts, expected)
    assert (histogram.low, histogram.high) == (everything.min(), everything.max())


def test_order_does_not_matter() -> None:
    parts = pieces()
    one, other = filled(parts), filled(parts[::-1])
    np.testing.assert_array_equal(one.counts, other.counts)
    assert one.exponent == other.exponent


def test_what_is_no_number_is_left_out_and_nothing_but_zeros_is_a_point() -> None:
    histogram = filled([np.array([np.nan, np.inf, -np.inf, 0.0], np.float32), np.zeros((0, 4), np.float32)])
    assert histogram.counts.sum() == 1
    assert histogram.percentile(99) == histogram.entropy(128) == (0.0, 0.0)
    assert RangeHistogram().percentile(99) == RangeHistogram().entropy(128) == (0.0, 0.0)


@pytest.mark.parametrize("percentile", [60.0, 90.0, 99.0, 99.99, 100.0])
def test_percentiles_are_numpy_s_to_a_bin(percentile: float) -> None:
    parts = pieces()
    histogram = filled(parts)
    everything = np.sort(np.concatenate([part.reshape(-1) for part in parts]).astype(np.float64))
    low, high = histogram.percentile(percentile)
    cut = (100 - percentile) / 2
    assert low == pytest.approx(np.percentile(everything, cut, method="inverted_cdf"), abs=histogram.width)
    assert high == pytest.approx(np.percentile(everything, 100 - cut, method="inverted_cdf"), abs=histogram.width)
    assert histogram.low <= low <= high <= histogram.high


def test_a_hundred_percent_is_minmax() -> None:
    histogram = filled(pieces())
    assert histogram.percentile(100) == (histogram.low, histogram.high)


def plain_divergence(counts: list[int], half: int, levels: int) -> float:
    """The definition, bin by bin."""
    zero = BINS // 2
    middle = [float(counts[index]) for index in range(zero - half, zero + half)]
    p = list(middle)
    p[0] += sum(counts[: zero - half])
    p[-1] += sum(counts[zero + half :])
    q = [0.0] * len(p)
    starts = [level * 2 * half // levels for level in range(levels)] + [2 * half]
    for start, stop in pairwise(starts):
        inside = [index for index in range(start, stop) if p[index] > 0]
        for index in inside:
            q[index] = sum(middle[start:stop]) / len(inside)
    lost = 0.0
    used = [index for index in range(len(p)) if p[index] > 0]
    all_p, all_q = sum(p), sum(q[index] for index in used)
    if not all_q:
        return math.inf
    for index in used:
        a, b = p[index] / all_p, q[index] / all_q
        lost += a * math.log(a / max(b, 1e-4 * a))
    return lost


def test_entropy_takes_the_range_of_the_least_divergence() -> None:
    rng = np.random.default_rng(3)
    parts = [rng.laplace(0, 0.2, 5000).astype(np.float32), np.array([7.9, -7.5], np.float32)]
    histogram = filled(parts)
    counts, levels = histogram.counts.tolist(), 128
    candidates = {half: plain_divergence(counts, half, levels) for half in range(levels // 2, BINS // 2 + 1, 16)}
    for half, expected in candidates.items():
        assert kl_divergence(histogram.counts, half, levels) == pytest.approx(expected, rel=1e-9)
    low, high = histogram.entropy(levels)
    best = round(high / histogram.width)
    assert plain_divergence(counts, best, levels) <= min(candidates.values())
    assert high < 4 and low == -high  # two numbers of 5,002 are not worth most of the grid


def test_entropy_cuts_nothing_where_there_is_a_step_a_bin() -> None:
    histogram = filled(pieces())
    assert histogram.entropy(BINS) == (histogram.low, histogram.high)

"""Graphs that are observed: each method's ranges over several runs are those of all the numbers together."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import parse, values
from workflows.quantize.calibration import add_observers, make_range_finder
from workflows.quantize.calibration.histogram import RangeHistogram
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
        ranger.take("decoder", {name: array for name, array in outputs.items() if name.startswith("calibration")})
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
        ranger.take("c", {f"calibration.{n}": np.array([v], np.float32) for n, v in (("low", low), ("high", high))})
    assert ranger.ranges() == {"c": {"x": (-1, 2)}}

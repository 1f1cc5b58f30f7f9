"""Adds calibration outputs to graphs: the minimum and maximum of each value, or the value itself.

    value ──ReduceMin, ReduceMax──▶ one number each ──Concat──▶ calibration.low, calibration.high  [values]
    value ──Identity──▶ calibration.0, calibration.1, …

The session computes minimum and maximum, so no large tensor leaves it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from workflows.quantize.calibration.ranges import HIGH, LOW, WHOLE

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

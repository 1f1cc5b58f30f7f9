"""What a file says was done to its graphs is seen in them, or refused with its path."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from workflows.bundle.schema import parse_pipeline
from workflows.graph.pipeline_requirements import requirement_faults


def model(*nodes: onnx.NodeProto, weights: tuple[Any, ...] = (), outputs: tuple[str, ...] = ("y",)) -> onnx.ModelProto:
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in outputs]
    return helper.make_model(helper.make_graph(list(nodes), "g", [], values, list(weights)))


def attends(queries: int, keys: int) -> onnx.NodeProto:
    return helper.make_node("GroupQueryAttention", ["x"], ["y"], num_heads=queries, kv_num_heads=keys)


INT4 = helper.make_tensor("w", TensorProto.INT4, [2], [1, 2])
INT8 = numpy_helper.from_array(np.zeros(2, np.int8), "w")
PACKED = helper.make_node("MatMulNBits", ["x", "w"], ["y"], bits=4)
TABLE = helper.make_node("GatherBlockQuantized", ["w", "x"], ["y"])  # of 4 bits where it says nothing
WIDE = helper.make_node("GatherBlockQuantized", ["w", "x"], ["y"], bits=8)


@pytest.mark.parametrize(
    ("required", "graph", "told"),
    [
        ({"quantization": "int8"}, model(weights=(INT8,)), ""),
        ({"quantization": "int4"}, model(weights=(INT4,)), ""),
        ({"quantization": "awq"}, model(PACKED), ""),
        ({"quantization": "int4"}, model(TABLE), ""),
        ({"quantization": "int4"}, model(WIDE), "quantization: no graph has int4 weights"),
        ({"quantization": "none"}, model(weights=(INT8,)), ""),
        ({"quantization": "int8"}, model(weights=(INT4,)), "quantization: no graph has int8 weights"),
        ({"quantization": "gptq"}, model(weights=(INT8,)), "quantization: no graph has int4 weights"),
        ({"quantization": "fp8"}, model(), "quantization: no graph has fp8 weights"),
        ({"attention": "gqa"}, model(attends(8, 2)), ""),
        ({"attention": "gqa"}, model(), ""),  # nothing tells
        ({"attention": "mha"}, model(attends(8, 2)), "attention: the graph's attention is gqa"),
        ({"attention": "gqa"}, model(attends(8, 1)), "attention: the graph's attention is mqa"),
        ({"attention": "mqa"}, model(attends(8, 8)), "attention: the graph's attention is mha"),
        ({"extra_heads": "medusa"}, model(outputs=("y", "medusa_logits")), ""),
        ({"extra_heads": "mtp"}, model(outputs=("y", "medusa_logits")), "extra_heads: the graph has no output of mtp"),
    ],
)
def test_what_is_required_is_seen_or_refused(required: dict[str, str], graph: onnx.ModelProto, told: str) -> None:
    session = {"file": "a.onnx", "session_options": {"build_requires": required}}
    data = {"pipeline": {"sessions": {"a": session}, "flow": [{"run": "a"}]}, "metadata": {"model_type": ""}}
    faults = list(requirement_faults(parse_pipeline(data, "x"), {"a": graph}))
    found = [f"{fault.path}: {fault.message}" for fault in faults]
    assert found == [] if not told else f"pipeline.sessions.a.session_options.build_requires.{told}" in found[0]

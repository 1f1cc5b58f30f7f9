"""A session over weights that stay in their file makes no other copy of them when it is opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from workflows.runtime.loading.sessions import SessionPlan, open_session
from workflows.runtime.providers import device_named

X = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(16, 8)).astype(np.float32)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """x @ Wᵀ, and Wᵀ itself plus a number: the one can be computed in one product, the other not."""
    nodes = [
        helper.make_node("Transpose", ["w"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["x", "t"], ["y"]),
        helper.make_node("Add", ["t", "z"], ["s"]),
    ]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 8]),
        helper.make_tensor_value_info("z", TensorProto.FLOAT, []),
    ]
    outputs = [
        helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 16]),
        helper.make_tensor_value_info("s", TensorProto.FLOAT, [8, 16]),
    ]
    model = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, [numpy_helper.from_array(W, "w")]),
        opset_imports=[helper.make_opsetid("", 21)],
        ir_version=10,
    )
    path = tmp_path / "graph.onnx"
    onnx.save(model, path, save_as_external_data=True, location="weights.data", size_threshold=0)
    return path


@pytest.mark.parametrize("mapped", [True, False])
def test_weights_are_not_turned_beforehand(graph: Path, mapped: bool) -> None:
    opened = open_session(SessionPlan("graph", graph, device_named("cpu")), mapped=mapped)
    y, s = opened.session.run(None, {"x": X, "z": np.array(2, np.float32)})
    np.testing.assert_allclose(y, X @ W.T, rtol=1e-5)
    np.testing.assert_array_equal(s, W.T + 2)
    given = opened.session.get_provider_graph_assignment_info()
    assert ("Transpose" in {node.op_type for part in given for node in part.get_nodes()}) is mapped

"""Sessions that cannot be opened: the reason and the remedy in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import TensorProto, helper, save_model

from workflows.common.errors import GraphError
from workflows.runtime.loading.sessions import SessionPlan, open_session
from workflows.runtime.providers import device_named


def test_a_number_format_without_a_kernel_is_named(tmp_path: Path) -> None:
    """The CPU has no product of bfloat16."""
    sides = [helper.make_tensor_value_info(name, TensorProto.BFLOAT16, [2, 2]) for name in "abc"]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["a", "b"], ["c"], name="product")], "g", sides[:2], sides[2:]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    save_model(model, tmp_path / "model.onnx")
    with pytest.raises(GraphError, match=r"has no kernel for MatMul .* of product in model\.onnx: run .*, or build it"):
        open_session(SessionPlan("model", tmp_path / "model.onnx", device_named("cpu")))

"""Gelu in onnxruntime's own operators: the same values, and no other type than these take."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workflows.optimize.making import apply, check_fires, check_refuses, parse, structure, weights


@pytest.mark.parametrize(("attribute", "operator"), [
    ("", "Gelu"), ('<approximate = "none">', "Gelu"), ('<approximate = "tanh">', "FastGelu"),
])  # fmt: skip
def test_gelu_of_onnx_becomes_onnxruntime_s(attribute: str, operator: str) -> None:
    model = parse(f"g (float[2,6] x) => (float[2,6] y) {{ a = Gelu{attribute}(x) y = Mul(a, x) }}", opset=21)
    counts = check_fires(model, "contrib_gelu", {"x": weights(2, 6) * 4})
    assert counts == {operator: 1, "Mul": 1}
    assert next(node.domain for node in model.graph if node.op_type == operator) == "com.microsoft"


def test_an_output_of_the_graph_keeps_its_name() -> None:
    model = parse("g (float[2,6] x) => (float[2,6] y) { y = Gelu(x) }", opset=21)
    check_fires(model, "contrib_gelu", {"x": np.linspace(-6, 6, 12, dtype=np.float32).reshape(2, 6)})
    assert [value.name for value in model.graph.outputs] == ["y"]


def test_doubles_are_refused() -> None:
    model = parse("g (double[2,6] x) => (double[2,6] y) { y = Gelu(x) }", opset=21)
    check_refuses(model, "contrib_gelu", "its type is DOUBLE")


def test_onnxruntime_s_own_stays() -> None:
    model = parse("g (float[2,6] x) => (float[2,6] y) { y = com.microsoft.Gelu(x) }", opset=21, contrib=True)
    before = structure(model)
    (report,) = apply(model, "contrib_gelu")
    assert (report.modified, report.refused, structure(model)) == (False, [], before)

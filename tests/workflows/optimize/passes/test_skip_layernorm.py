from __future__ import annotations

import numpy as np
import pytest

from tests.workflows.optimize.making import check_fires, check_refuses, parse, weights

AXES = "float[1,S,16]"
INPUTS = {"a": weights(1, 5, 16), "b": weights(1, 5, 16, seed=1)}
RMS = "n = RMSNormalization<axis = -1, epsilon = 1e-6>(s, w)"
LAYER = "n = LayerNormalization<axis = -1, epsilon = 1e-6>(s, w, c)"
PARTS = {"w": weights(16, seed=2) + 1, "c": weights(16, seed=3)}
RMS_OP, LAYER_OP = "SkipSimplifiedLayerNormalization", "SkipLayerNormalization"


def graph(body: str, axes: str = AXES, out: str = "y") -> str:
    return f"g ({axes} a, {axes} b) => ({axes} {out}) {{ {body} }}"


def parts(body: str) -> dict[str, np.ndarray]:
    return {name: array for name, array in PARTS.items() if name != "c" or ", c)" in body}


@pytest.mark.parametrize(("norm", "op"), [(RMS, RMS_OP), (LAYER, LAYER_OP)])
def test_the_sum_is_given_out_where_something_else_reads_it(norm: str, op: str) -> None:
    body = f"s = Add(a, b) {norm} y = Add(s, n)"
    model = parse(graph(body), **parts(body))
    assert check_fires(model, "skip_layernorm", INPUTS) == {op: 1, "Add": 1}
    assert [value.name for value in next(iter(model.graph)).outputs] == ["n", "", "", "s"]
    alone = f"s = Add(a, b) {norm} y = Neg(n)"
    model = parse(graph(alone), **parts(alone))
    assert check_fires(model, "skip_layernorm", INPUTS) == {op: 1, "Neg": 1}
    assert [value.name for value in next(iter(model.graph)).outputs] == ["n"]
    assert model.opset_imports == {"": 23, "com.microsoft": 1}


def test_a_sum_that_is_an_output_keeps_its_name() -> None:
    text = graph(f"s = Add(a, b) {RMS}", out="s, float[1,S,16] n")
    model = parse(text, w=PARTS["w"])
    check_fires(model, "skip_layernorm", INPUTS)
    assert [value.name for value in model.graph.outputs] == ["s", "n"]


@pytest.mark.parametrize("bias", ["m = Add(a, c) s = Add(m, b)", "m = Add(c, a) s = Add(b, m)"])
def test_a_bias_goes_in_too(bias: str) -> None:
    model = parse(graph(f"{bias} {RMS} y = Add(s, n)"), **PARTS)
    assert check_fires(model, "skip_layernorm", INPUTS) == {RMS_OP: 1, "Add": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (graph(f"s = Add(a, b) {RMS} y = Neg(n)").replace("float[1,S,16] b", "float[1,1,16] b"), "to have one shape"),
        (graph(f"s = Add(a, b) {RMS} y = Neg(n)", "float[1,2,S,16]"), "the sum has 4 axes"),
        (graph(f"s = Add(a, b) {RMS} y = Neg(n)".replace("axis = -1", "axis = 1")), "not over the last axis"),
        (graph(f"s = Add(a, b) {RMS} y = Neg(n)", "double[1,S,16]"), "takes no DOUBLE"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    width = np.ones((5, 16)) if "axis = 1" in text else np.ones(16)
    dtype = np.float64 if "double" in text else np.float32
    check_refuses(parse(text, w=width.astype(dtype)), "skip_layernorm", reason)

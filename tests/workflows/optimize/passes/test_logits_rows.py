from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import apply, check_refuses, parse, values, weights
from workflows.optimize.queries import required_inputs

X = {"x": weights(1, 5, 8)}
GRAPH = "g (float[1,S,8] x) => (float[1,S,24] logits) { h = Neg(x) m = MatMul(h, w) logits = Tanh(m) }"
GEMM = """g (float[1,S,8] x) => (float[1,S,24] logits) <int64[2] f = {-1, 8}, int64[3] u = {1, -1, 24}>
  { h = Neg(x) r = Reshape(h, f) m = Gemm(r, w) logits = Reshape(m, u) }"""
FIXED = GRAPH.replace("[1,S,", "[1,5,")
HEARD = GRAPH.replace("logits)", "logits, float[1,S,8] hidden)").replace("h = Neg(x)", "h = Neg(x) hidden = Neg(h)")


@pytest.mark.parametrize("text", [GRAPH, GEMM, HEARD])
def test_every_row_unless_told_which(text: str) -> None:
    model = parse(text, w=weights(8, 24))
    every = values(model, X)
    assert apply(model, "logits_rows")[0].modified
    for got, wanted in zip(values(model, X), every, strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-6)
    for start, end in ((4, 5), (1, 3), (0, 5), (-1, 9)):
        told = {"logits_start": np.array([start]), "logits_end": np.array([end])}
        rows, *others = values(model, {**X, **told})
        np.testing.assert_allclose(rows, every[0][:, start:end], atol=1e-6)
        assert [one.shape for one in others] == [one.shape for one in every[1:]]
    assert str(model.graph.outputs[0].shape) == "[1,logits_rows,24]"
    check_refuses(model, "logits_rows", "the rows of its logits can be chosen already")


def test_nobody_need_feed_what_it_adds() -> None:
    model = parse(GRAPH, w=weights(8, 24))
    apply(model, "logits_rows")
    assert [value.name for value in model.graph.inputs] == ["x", "logits_start", "logits_end"]
    assert [value.name for value in required_inputs(model.graph)] == ["x"]
    assert [value.dtype for value in model.graph.inputs[1:]] == [ir.DataType.INT64] * 2


def test_constants_that_can_be_replaced_are_not_folded_away() -> None:
    model = parse(GRAPH, w=weights(8, 24))
    apply(model, "logits_rows", "constant_folding", "dead_nodes", "common_subexpressions")
    last = {"logits_start": np.array([4]), "logits_end": np.array([5])}
    assert values(model, {**X, **last})[0].shape == (1, 1, 24)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GRAPH.replace("[1,S,", "[1,1,"), "its logits are of one token already"),
        (GRAPH.replace("logits", "hidden"), "no output logits of three axes"),
        (GRAPH.replace("m = MatMul(h, w)", "z = MatMul(h, w) m = Softmax(z)"), "no MatMul over the sequence"),
        (FIXED, "its sequence axis is fixed to 5, and so are the rows of its logits"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    check_refuses(parse(text, w=weights(8, 24)), "logits_rows", reason)

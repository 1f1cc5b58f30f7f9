"""constant_folding, dead_nodes, clean_opset_imports: each on a graph with something to do, and with nothing."""

from __future__ import annotations

import numpy as np

from tests.workflows.optimize.making import apply, check_fires, check_refuses, parse, weights

X = {"x": weights(1, 5, 12)}


def test_small_constants_are_computed_once() -> None:
    text = """g (float[1,S,12] x) => (float[1,S,12] y) <int64[2] a = {1, -1}, int64[1] b = {12}>
      { s = Concat<axis = 0>(a, b) r = Reshape(x, s) y = Neg(r) }"""
    counts = check_fires(parse(text), "constant_folding", X)
    assert "Concat" not in counts


def test_large_ones_stay_and_are_named() -> None:
    text = "g (float[1,S,12] x) => (float[1,S,9000] y) { t = Transpose(w) y = MatMul(x, t) }"
    model = parse(text, w=np.ones((9000, 12), np.float32))
    model.graph.node(0).name = "turn"
    check_refuses(model, "constant_folding", "its constants have 108,000 elements, and no more than 8,192", node="turn")


def test_what_nothing_reads_goes() -> None:
    text = "g (float[1,S,12] x) => (float[1,S,12] y) { i = Identity(x) d = Add(i, w) e = Neg(d) y = Abs(i) }"
    model = parse(text, w=weights(12))
    assert check_fires(model, "dead_nodes", X) == {"Abs": 1}
    assert not model.graph.initializers
    (report,) = apply(parse("g (float[1,S,12] x) => (float[1,S,12] y) { y = Abs(x) }"), "dead_nodes")
    assert not report.modified


def test_unused_imports_go() -> None:
    text = "g (float[1,S,12] x) => (float[1,S,12] y) { y = Abs(x) }"
    model = parse(text, contrib=True)
    model.opset_imports["ai.onnx.training"] = 1
    check_fires(model, "clean_opset_imports", X)
    assert model.opset_imports == {"": 23}
    used = parse(text.replace("Abs", "com.microsoft.Gelu"), contrib=True)
    assert not apply(used, "clean_opset_imports")[0].modified
    assert used.opset_imports == {"": 23, "com.microsoft": 1}

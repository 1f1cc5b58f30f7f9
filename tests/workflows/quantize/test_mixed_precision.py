"""Nodes with a method of their own: each gives what its own weight says, and the others what theirs did."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import operators, parse, values, weights
from workflows.common.errors import RecipeError
from workflows.quantize import METHODS, check_excluded, run_method
from workflows.quantize.mixed_precision import MixedPrecision
from workflows.recipe import QuantizeSettings, Recipe

W, V, X = weights(128, 48), weights(48, 64, seed=2), weights(3, 128, seed=1)
RECIPE = {"source": "s", "model_type": "m", "family": "f", "task": "t"}


def model() -> ir.Model:
    return parse("g (float[3,128] x) => (float[3,64] y) { [a] h = MatMul(x, w)\n [b] y = MatMul(h, v) }", w=W, v=V)


def mixed(own: str | None, **nodes: dict[str, object]) -> tuple[ir.Model, list[str]]:
    made = model()
    settings = QuantizeSettings.model_validate({"accuracy_level": 1, "nodes": nodes})
    report = run_method(made, MixedPrecision(METHODS[own] if own else None), settings)
    return made, [refusal.node for refusal in report.refused]


def test_a_node_has_its_own_method_and_the_others_the_component_s() -> None:
    made, refused = mixed("int4", b={"precision": "int8", "block_size": 16})
    assert refused == []
    by_name = {node.name: node.attributes for node in made.graph}
    assert [by_name[name].get_int("bits") for name in "ab"] == [4, 8]
    assert [by_name[name].get_int("block_size") for name in "ab"] == [32, 16]
    alone = model()
    run_method(alone, METHODS["int4"], QuantizeSettings(accuracy_level=1, exclude=("b",)))
    hidden = values(alone, {"x": X})[0]
    np.testing.assert_allclose(values(made, {"x": X})[0], hidden, atol=0.02 * np.abs(hidden).max())
    assert np.abs(hidden - X @ W @ V).max() > 0.03 * np.abs(hidden).max()  # which is the four bits'


def test_fp16_of_a_node_rounds_its_weight_and_nothing_else() -> None:
    made, _ = mixed(None, a={"precision": "fp16"})
    assert operators(made) == {"Cast": 1, "MatMul": 2}
    kept = {name: value.const_value.nbytes for name, value in made.graph.initializers.items()}
    assert kept == {"w.float16": W.nbytes // 2, "v": V.nbytes}
    want = X @ W.astype(np.float16).astype(np.float32) @ V
    np.testing.assert_allclose(values(made, {"x": X})[0], want, rtol=1e-4, atol=1e-4)


def test_fp16_of_a_turned_weight_and_of_a_table() -> None:
    text = """g (int64[3] ids) => (float[3,40] y) {
        [table] h = Gather(w, ids)
        t = Transpose <perm = [1, 0]> (w)
        [head] y = MatMul(h, t) }"""
    rows, ids = weights(40, 32), np.array([3, 0, 39])
    made = parse(text, w=rows)
    nodes = {"table": {"precision": "fp16"}, "head": {"precision": "fp16"}}
    run_method(made, MixedPrecision(None), QuantizeSettings.model_validate({"nodes": nodes}))
    half = rows.astype(np.float16).astype(np.float32)
    np.testing.assert_allclose(values(made, {"ids": ids})[0], half[ids] @ half.T, rtol=1e-5, atol=1e-5)
    assert set(made.graph.initializers) == {"w.float16"}  # one for both


def test_one_weight_in_two_sizes_of_blocks() -> None:
    made = parse(
        "g (float[3,64] x) => (float[3,8] y, float[3,8] z) { [a] y = MatMul(x, w)\n [b] z = MatMul(x, w) }",
        w=weights(64, 8),
    )
    nodes = {"a": {"precision": "int4", "block_size": 16}, "b": {"precision": "int4", "block_size": 64}}
    run_method(made, MixedPrecision(None), QuantizeSettings.model_validate({"nodes": nodes}))
    scales = {name: tuple(v.shape) for name, v in made.graph.initializers.items() if name.endswith("scales")}
    assert scales == {"w.int4.b16.scales": (8, 4), "w.int4.b64.scales": (8, 1)}


def test_what_is_named_wrongly_is_reported() -> None:
    with pytest.raises(RecipeError, match=r"quantize\.nodes names 'c'"):
        check_excluded([model()], QuantizeSettings.model_validate({"nodes": {"c": {"precision": "int8"}}}))
    with pytest.raises(ValueError, match="exclude and nodes both name 'a'"):
        QuantizeSettings.model_validate({"exclude": ["a"], "nodes": {"a": {"precision": "int8"}}})
    nodes = {"nodes": {"a": {"precision": "int8"}}}
    with pytest.raises(ValueError, match=r"quantize\.nodes goes with .*, and not with w8a16"):
        Recipe.model_validate({**RECIPE, "precision": "w8a16", "quantize": nodes})
    assert not Recipe.model_validate({**RECIPE, "quantize": nodes}).keeps_weights
    assert Recipe.model_validate(RECIPE).keeps_weights

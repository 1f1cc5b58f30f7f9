from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import apply, check_fires, check_refuses, operators, parse, values
from workflows.graph.described_weights import StoredWeight, WeightRecipe, recipe_tensor
from workflows.optimize.passes.clamp_constant_values import finite_floor

TYPES = {"float": np.float32, "float16": np.float16}
SCORES = np.array([[1.0, 2.0, 3.0], [-4.0, 0.5, 9.0]])
CAUSAL = np.array([[0, -np.inf, -np.inf], [0, 0, -np.inf]])


def constants(model: ir.Model) -> list[np.ndarray]:
    return [np.asarray(v.const_value.numpy()) for v in model.graph.initializers.values() if v.const_value is not None]


@pytest.mark.parametrize("name", TYPES)
def test_a_mask_gets_the_floor_of_its_type(name: str) -> None:
    dtype = TYPES[name]
    text = f"g ({name}[2,3] x) => ({name}[2,3] y) {{ s = Add(x, mask) y = Softmax(s) }}"
    model = parse(text, mask=CAUSAL.astype(dtype))
    check_fires(model, "clamp_constant_values", {"x": SCORES.astype(dtype)}, tolerance=1e-6)
    (mask,) = constants(model)
    assert mask.dtype == dtype
    assert mask.min() == np.finfo(dtype).min / 4
    assert np.isfinite(mask + mask - dtype(50)).all()  # two masks and a score


def test_half_precision_is_not_float32() -> None:
    assert finite_floor(ir.DataType.FLOAT16) == -16376
    assert finite_floor(ir.DataType.FLOAT) < -8e37
    assert np.isfinite(np.array(finite_floor(ir.DataType.BFLOAT16), ml_dtypes.bfloat16))


def test_a_row_that_is_masked_throughout_is_a_number_at_last() -> None:
    model = parse(
        "g (float[2,3] x) => (float[2,3] y) { s = Add(x, mask) y = Softmax(s) }",
        mask=np.full((2, 3), -np.inf, np.float32),
    )
    inputs = {"x": SCORES.astype(np.float32)}
    assert np.isnan(values(model, inputs)[0]).all()
    assert apply(model, "clamp_constant_values")[0].modified
    np.testing.assert_allclose(values(model, inputs)[0], 1 / 3, rtol=1e-6)


def test_a_mask_that_is_narrowed_gets_the_narrow_floor() -> None:
    text = "g (float16[2,3] x) => (float16[2,3] y) { m = Cast<to = 10>(mask) s = Add(x, m) y = Softmax(s) }"
    model = parse(text, mask=CAUSAL.astype(np.float32))
    check_fires(model, "clamp_constant_values", {"x": SCORES.astype(np.float16)}, tolerance=1e-3)
    (mask,) = constants(model)
    assert mask.min() == -16376


def test_constant_nodes_and_fills() -> None:
    text = """g (float[2,3] x, bool[2,3] seen) => (float[2,3] y) <int64[2] shape = {2, 3}, float zero = {0.0}> {
      low = Constant<value = float[1] {7.0}>() one = Where(seen, zero, low)
      fill = ConstantOfShape<value = float[1] {7.0}>(shape) other = Trilu<upper = 1>(fill)
      s = Add(x, one) y = Max(s, other) }"""
    model = parse(text)
    for node in model.graph:
        if "value" in node.attributes:  # the text form has no infinity
            node.attributes["value"] = ir.AttrTensor("value", ir.tensor(np.full(1, -np.inf, np.float32)))
            node.outputs[0].const_value = None
    assert apply(model, "clamp_constant_values")[0].modified
    assert not apply(model, "clamp_constant_values")[0].modified
    seen = np.isfinite(CAUSAL)
    (result,) = values(model, {"x": SCORES.astype(np.float32), "seen": seen})
    below = np.tri(2, 3, -1) > 0  # where Trilu leaves 0
    floor = finite_floor(ir.DataType.FLOAT)
    np.testing.assert_allclose(result, np.maximum(np.where(seen, SCORES, floor), np.where(below, 0, floor)), rtol=1e-6)


def test_plus_infinity_is_left_and_reported() -> None:
    bounds = np.array([np.inf, 0, 1], np.float32)
    model = parse("g (float[2,3] x) => (float[2,3] y) { y = Min(x, bounds) }", bounds=bounds)
    check_refuses(model, "clamp_constant_values", "bounds holds +inf, which no mask does", node="bounds")


def test_what_is_compared_with_is_left_and_what_shares_it_is_clamped() -> None:
    text = """g (float[2,3] x) => (float[2,3] y, bool[2,3] hidden)
      { s = Add(x, mask) y = Softmax(s) hidden = Equal(mask, low) }"""
    model = parse(text, mask=CAUSAL.astype(np.float32), low=np.float32(-np.inf))
    counts = check_fires(model, "clamp_constant_values", {"x": SCORES.astype(np.float32)}, tolerance=1e-6)
    assert counts == {"Add": 1, "Softmax": 1, "Equal": 1}
    names = set(model.graph.initializers)
    assert names == {"mask", "mask.finite", "low"}
    alone = parse("g (float[2,3] x) => (bool[2,3] y) { y = Equal(x, low) }", low=np.float32(-np.inf))
    check_refuses(alone, "clamp_constant_values", "low holds −inf that Equal compares with")


def test_weights_are_not_read() -> None:
    def read() -> ir.TensorProtocol:
        raise AssertionError("a weight was read")

    model = parse("g (float[2,3] x) => (float[2,4] y) { y = MatMul(x, w) }", w=np.zeros((3, 4), np.float32))
    shape = ir.Shape([3, 4])
    model.graph.initializers["w"].const_value = ir.LazyTensor(read, ir.DataType.FLOAT, shape, name="w")
    assert not apply(model, "clamp_constant_values")[0].modified
    assert operators(model) == {"MatMul": 1}


def test_a_checkpoints_weight_is_not_read_wherever_it_goes() -> None:
    """Whoever computes with it refuses numbers that are not finite."""
    model = parse("g (float[2,3] x) => (float[2,4] y) { t = Transpose(w) y = MatMul(x, t) }", w=np.zeros((4, 3), "f4"))
    gone = WeightRecipe.of(StoredWeight("gone.safetensors", 0, "float32", (4, 3), "w"))
    model.graph.initializers["w"].const_value = recipe_tensor(gone, "w")
    assert not apply(model, "clamp_constant_values")[0].modified

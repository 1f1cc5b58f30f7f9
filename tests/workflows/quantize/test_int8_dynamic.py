"""int8-dynamic: numpy's own quantization of weights and of each run's activations gives the graph's values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workflows.optimize.making import operators, parse, values, weights
from workflows.quantize import METHODS, run_method
from workflows.quantize.int8_dynamic import UNSIGNED
from workflows.recipe import QuantizeSettings


def by_hand(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """ONNX's DynamicQuantizeLinear of x, integer columns of w, and the product in integers."""
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    scale = np.float32((high - low) / 255)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    integers = np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.int32) - int(zero)
    columns, scales = UNSIGNED.quantize(w)
    return (integers @ (columns.astype(np.int32) - 128)) * scale * scales


@pytest.mark.parametrize("inner", [8, 33, 256])
def test_a_matmul_gives_numpy_s_integers(inner: int) -> None:
    w, x = weights(inner, 24), weights(5, inner, seed=1)
    w[:, 3] = 0
    model = parse(f"g (float[5,{inner}] x) => (float[5,24] y) {{ y = MatMul(x, w) }}", w=w)
    assert run_method(model, METHODS["int8-dynamic"], QuantizeSettings()).modified
    assert operators(model) == {"DynamicQuantizeMatMul": 1} and "w" not in model.graph.initializers
    (got,) = values(model, {"x": x})
    np.testing.assert_allclose(got, by_hand(x, w), atol=1e-5)
    assert np.abs(got - x @ w).max() <= 0.03 * np.abs(x @ w).max()


def test_a_gemm_keeps_its_bias_and_the_largest_weights_do_not_overflow() -> None:
    """255 · 127 twice is beyond 16 bits, where kernels for old CPUs add in pairs."""
    w, x = np.full((16, 64), -3.0, np.float32), np.full((4, 64), 5.0, np.float32)
    b = weights(16, seed=2)
    text = "g (float[4,64] x) => (float[4,16] y) { y = Gemm <transB = 1> (x, w, b) }"
    model = parse(text, w=w, b=b)
    run_method(model, METHODS["int8-dynamic"], QuantizeSettings())
    np.testing.assert_allclose(values(model, {"x": x})[0], x @ w.T + b, rtol=1e-4)


def test_half_precision_is_refused_and_excluded_nodes_stay() -> None:
    text = "g (float16[2,8] x) => (float16[2,4] y) { y = MatMul(x, w) }"
    report = run_method(parse(text, w=weights(8, 4, dtype=np.float16)), METHODS["int8-dynamic"], QuantizeSettings())
    assert not report.modified and "float16" in report.refused[0].reason
    model = parse("g (float[2,8] x) => (float[2,4] y) { y = MatMul(x, w) }", w=weights(8, 4))
    next(iter(model.graph)).name = "first"
    report = run_method(model, METHODS["int8-dynamic"], QuantizeSettings(exclude=("first",)))
    assert not report.modified and report.refused[0].node == "first"

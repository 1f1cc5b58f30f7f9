"""w8a16 and w8a8: values that numpy makes of the stored integers, what is on grids, and reasons for what is not."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import operators, parse, values, weights
from workflows.quantize import METHODS, run_method
from workflows.quantize.qdq import StaticQdq, channel_scales, quantize_channels
from workflows.recipe import QuantizeSettings

W8A16, W8A8 = METHODS["w8a16"], METHODS["w8a8"]


def rounded(array: np.ndarray, low: float, high: float, bits: int) -> np.ndarray:
    """`array` on the grid of asymmetric integers."""
    levels = 2**bits - 1
    step = np.float32((max(high, 0) - min(low, 0)) / levels)
    zero = np.rint(-min(low, 0) / step)
    return ((np.clip(np.rint(array / step) + zero, 0, levels) - zero) * step).astype(np.float32)


def weight(array: np.ndarray, axis: int) -> np.ndarray:
    q, scales = quantize_channels(axis, array)
    return q * scales.reshape([-1 if i == axis else 1 for i in range(array.ndim)])


def test_channels_are_symmetric_and_zeros_stay() -> None:
    w = weights(6, 5, 1, 1)
    w[2] = 0
    for axis in (0, 1):
        q, scales = quantize_channels(axis, w)
        np.testing.assert_allclose(scales, channel_scales(axis, w))
        assert q.dtype == np.int8 and np.abs(q).max() == 127 and not q[2].any()
        assert np.abs(weight(w, axis) - w).max() <= scales.max() / 2 * 1.001


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize(
    ("node", "shape", "axis"),
    [
        ("MatMul(x, w)", (32, 12), 1),
        ("Gemm <transB = 1> (x, w)", (12, 32), 0),
        ("MatMul(x, t)", (12, 32), 0),
    ],
)
def test_a_product_gives_what_its_integers_say(node: str, shape: tuple[int, int], axis: int, bits: int) -> None:
    w, x = weights(*shape), weights(3, 32, seed=1)
    turn = "t = Transpose <perm = [1,0]> (w)" if "t)" in node else ""
    model = parse(f"g (float[3,32] x) => (float[3,12] y) {{ {turn} y = {node} }}", w=w)
    y = x @ (w if axis else w.T)
    ranges = {"x": (x.min(), x.max()), "y": (1.1 * y.min(), 1.1 * y.max())}
    report = run_method(model, METHODS[f"w8a{bits}"], QuantizeSettings(), ranges)
    assert report.modified and not report.refused and "w" not in model.graph.initializers
    made = weight(w, axis)
    expected = rounded(x, x.min(), x.max(), bits) @ (made if axis else made.T)
    (got,) = values(model, {"x": x})
    step = 1.1 * float(y.max() - y.min()) / 65535 if bits == 16 else 0
    np.testing.assert_allclose(got, expected, atol=2e-5 + step)
    assert model.graph.outputs[0].name == "y"


def test_a_convolution_and_its_bias() -> None:
    w, b, x = weights(6, 4, 1, 1), weights(6, seed=2), weights(1, 4, 1, 9, seed=1)
    model = parse("g (float[1,4,1,9] x) => (float[1,6,1,9] y) { y = Conv(x, w, b) }", w=w, b=b)
    run_method(model, W8A8, QuantizeSettings(), {"x": (x.min(), x.max())})
    assert operators(model) == {"QuantizeLinear": 1, "DequantizeLinear": 3, "Conv": 1}
    kinds = {str(v.name): v.dtype for v in model.graph.initializers.values()}
    assert [kind for name, kind in kinds.items() if name.endswith("int32")] == [ir.DataType.INT32]
    expected = np.einsum("oi,bixs->boxs", weight(w, 0)[:, :, 0, 0], rounded(x, x.min(), x.max(), 8))
    (got,) = values(model, {"x": x})
    np.testing.assert_allclose(got, expected + b[None, :, None, None], atol=1e-4)


MLP = """g (float[1,S,8] inputs_embeds) => (float[1,S,8] y) {
    n = RMSNormalization(inputs_embeds, scale)
    a = MatMul(n, up)
    s = Sigmoid(a)
    m = Mul(a, s)
    c = Mul(m, half)
    d = MatMul(c, down)
    y = Add(inputs_embeds, d)
}"""


def mlp() -> ir.Model:
    half, scale = np.array(0.5, np.float32), np.ones(8, np.float32)
    model = parse(MLP, scale=scale, up=weights(8, 16), down=weights(16, 8), half=half)
    for node in model.graph:
        node.name = f"make_{node.outputs[0].name}"
    return model


def wide(method: StaticQdq, model: ir.Model) -> dict[str, tuple[float, float]]:
    return dict.fromkeys(method.observed(model, QuantizeSettings()), (-6.0, 6.0))


def test_sixteen_bits_take_the_flow_and_eight_the_products_alone() -> None:
    assert isinstance(W8A16, StaticQdq) and isinstance(W8A8, StaticQdq)
    assert W8A8.observed(mlp(), QuantizeSettings()) == ["n", "c"]
    assert set(W8A16.observed(mlp(), QuantizeSettings())) == {"inputs_embeds", "n", "a", "s", "m", "c", "d", "y"}
    x = weights(1, 5, 8) * 2
    exact = values(mlp(), {"inputs_embeds": x})[0]
    for method, rounded_values, off in ((W8A16, 8, 0.06), (W8A8, 2, 0.2)):
        model = mlp()
        run_method(model, method, QuantizeSettings(), wide(method, model))
        assert operators(model)["QuantizeLinear"] == rounded_values
        (norm,) = [node for node in model.graph if node.op_type == "RMSNormalization"]
        assert norm.inputs[1].name == "scale"  # the norm itself stays in floating point
        (got,) = values(model, {"inputs_embeds": x})
        assert 0 < np.abs(got - exact).max() < off


def test_what_moves_numbers_shares_the_grid_of_what_it_moves() -> None:
    text = """g (float[2,8] x) => (float[4,2] y) {
        a = MatMul(x, w)  t = Transpose <perm = [1,0]> (a)  y = Sigmoid(t) }"""
    model = parse(text, w=weights(8, 4))
    assert set(W8A16.observed(model, QuantizeSettings())) == {"x", "a", "y"}  # type: ignore[attr-defined]
    run_method(model, W8A16, QuantizeSettings(), wide(W8A16, model))  # type: ignore[arg-type]
    scales = [node.inputs[1].name for node in model.graph if node.op_type == "QuantizeLinear"]
    assert sorted(scales) == ["a.scale", "a.scale", "x.scale", "y.scale"]


def test_a_statistic_of_a_row_and_what_comes_of_positions_stay() -> None:
    text = """g (float[2,8] x, float[2,4] position) => (float[2,4] y, float[2,4] z) {
        a = MatMul(x, w)
        q = ReduceMean <keepdims = 1> (a, last)
        e = Add(q, epsilon)
        y = Mul(a, e)
        z = Mul(position, epsilon)
    }"""
    model = parse(text, w=weights(8, 4), last=np.array([-1]), epsilon=np.array(1e-6, np.float32))
    assert set(W8A16.observed(model, QuantizeSettings())) == {"x", "a"}  # type: ignore[attr-defined]


def test_what_is_left_alone_has_a_reason() -> None:
    model = mlp()
    report = run_method(model, W8A16, QuantizeSettings(), {})
    assert not report.modified and {one.reason for one in report.refused} == {"calibration never ran this component"}
    ranges = wide(W8A16, model) | {"c": (-1e30, 0.0)}  # type: ignore[arg-type]
    report = run_method(model, W8A16, QuantizeSettings(), ranges)
    assert [(one.node, one.reason) for one in report.refused] == [
        ("make_d", "the range of its input is too large for a grid")
    ]
    model = mlp()
    report = run_method(model, W8A8, QuantizeSettings(exclude=("make_a",)), wide(W8A8, model))  # type: ignore[arg-type]
    assert [(one.node, one.reason) for one in report.refused] == [("make_a", "the recipe excludes it")]
    assert "up" in model.graph.initializers and "down" not in model.graph.initializers


def test_a_table_of_int8_rows() -> None:
    table, ids = weights(40, 16), np.array([[3, 39, 0]])
    model = parse("g (int64[1,S] ids) => (float[1,S,16] x) { x = Gather(table, ids) }", table=table)
    run_method(model, W8A16, QuantizeSettings(embedding=None), {})
    np.testing.assert_allclose(values(model, {"ids": ids})[0], weight(table, 0)[ids], rtol=1e-6)
    assert "table" not in model.graph.initializers


def test_before_opset_21_sixteen_bits_are_onnxruntime_s_own() -> None:
    w, x = weights(8, 4), weights(2, 8, seed=1)
    model = parse("g (float[2,8] x) => (float[2,4] y) { y = MatMul(x, w) }", opset=17, w=w)
    run_method(model, W8A16, QuantizeSettings(), {"x": (-3.0, 3.0), "y": (-9.0, 9.0)})
    assert {node.domain for node in model.graph if node.op_type == "QuantizeLinear"} == {"com.microsoft"}
    np.testing.assert_allclose(values(model, {"x": x})[0], x @ weight(w, 1), atol=1e-3)


def test_graphs_that_share_a_weight_share_what_is_made_of_it() -> None:
    tensor = ir.tensor(weights(8, 4), name="w")
    made = []
    for _ in range(2):
        model = parse("g (float[2,8] x) => (float[2,4] y) { y = MatMul(x, w) }", w=weights(8, 4))
        model.graph.initializers["w"].const_value = tensor
        run_method(model, W8A8, QuantizeSettings(), {"x": (-3.0, 3.0)})
        made.append(next(v.const_value for v in model.graph.initializers.values() if v.dtype == ir.DataType.INT8))
    assert made[0] is made[1]

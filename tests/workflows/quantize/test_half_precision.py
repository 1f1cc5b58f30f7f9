"""fp16 and bf16: values within what 16 bits hold, positions exact, masks finite, and edges of the right types."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx_ir as ir
import onnxruntime as ort
import pytest

from tests.workflows.optimize.making import operators, parse, values, weights
from workflows.quantize import METHODS, run_method
from workflows.recipe import QuantizeSettings

F16, BF16, F32 = ir.DataType.FLOAT16, ir.DataType.BFLOAT16, ir.DataType.FLOAT


def fp16(model: ir.Model, **settings: object) -> ir.Model:
    report = run_method(model, METHODS["fp16"], QuantizeSettings(**settings))  # type: ignore[arg-type]
    assert report.modified
    return model


def types(model: ir.Model) -> dict[str, ir.DataType | None]:
    return {str(value.name): value.dtype for value in (*model.graph.inputs, *model.graph.outputs)}


def test_weights_and_products_are_half_and_logits_stay_float32() -> None:
    w, x = weights(64, 32), weights(3, 64, seed=1)
    model = fp16(parse("g (float[3,64] x) => (float[3,32] logits) { h = MatMul(x, w)  logits = Tanh(h) }", w=w))
    assert types(model) == {"x": F32, "logits": F32}
    assert {value.dtype for value in model.graph.initializers.values()} == {F16}
    assert operators(model) == {"Cast": 2, "MatMul": 1, "Tanh": 1}
    (got,) = values(model, {"x": x})
    half = w.astype(np.float16).astype(np.float32)
    np.testing.assert_allclose(got, np.tanh(x.astype(np.float16).astype(np.float32) @ half), atol=2e-3)


def test_the_cache_and_its_mask_change_their_type() -> None:
    text = """g (float[1,2,S,8] past_key_values.0.key, float[1,1,1,S] attention_mask, float[1,2,1,8] q)
        => (float[1,2,1,8] present.0.key, float[1,2,1,S] scores) {
        k = Transpose <perm = [0,1,3,2]> (past_key_values.0.key)
        dots = MatMul(q, k)
        scores = Add(dots, attention_mask)
        present.0.key = Mul(q, gain)
    }""".replace("past_key_values.0.key", "past").replace("present.0.key", "present")
    model = parse(text, gain=np.ones(8, np.float32))
    renamed = {"past": "past_key_values.0.key", "present": "present.0.key"}
    for value in (*model.graph.inputs, *model.graph.outputs):
        value.name = renamed.get(str(value.name), value.name)
    fp16(model)
    edges = {"past_key_values.0.key": F16, "attention_mask": F16, "q": F32, "present.0.key": F16, "scores": F32}
    assert types(model) == edges
    past, q = weights(1, 2, 4, 8), weights(1, 2, 1, 8, seed=1)
    mask = np.array([0, 0, np.finfo(np.float16).min, 0], np.float16).reshape(1, 1, 1, 4)
    feeds = {"past_key_values.0.key": past.astype(np.float16), "attention_mask": mask, "q": q}
    present, scores = values(model, feeds)
    assert present.dtype == np.float16 and np.isfinite(scores).all()
    wanted = q @ past.transpose(0, 1, 3, 2) + mask.astype(np.float32)
    np.testing.assert_allclose(scores[..., [0, 1, 3]], wanted[..., [0, 1, 3]], atol=5e-3)


def test_positions_beyond_2048_keep_every_digit() -> None:
    text = """g (int64[1,S] ids, float[1,S,4] x) => (float[1,S,4] y) {
        p = Cast <to = 1> (ids)
        u = Unsqueeze(p, axes)
        a = Mul(u, rate)
        c = Cos(a)
        y = Mul(x, c)
    }"""
    rate = np.array([1, 0.1, 0.01, 0.001], np.float32)
    model = fp16(parse(text, rate=rate, axes=np.array([2], np.int64)))
    ids = np.array([[1, 2049, 30001]])
    (got,) = values(model, {"ids": ids, "x": np.ones((1, 3, 4), np.float32)})
    np.testing.assert_allclose(got, np.cos(ids[..., None] * rate), atol=1e-3)


def test_squares_do_not_overflow() -> None:
    text = """g (float[2,8] x) => (float[2,8] y) {
        h = MatMul(x, w)
        s = Pow(h, two)
        m = ReduceMean <keepdims = 1> (s, last)
        r = Sqrt(m)
        y = Div(h, r)
    }"""
    w, x = np.eye(8, dtype=np.float32) * 1000, weights(2, 8)
    model = fp16(parse(text, w=w, two=np.array(2, np.float32), last=np.array([1], np.int64)))
    (got,) = values(model, {"x": x})
    np.testing.assert_allclose(got, x / np.sqrt((x**2).mean(1, keepdims=True)), atol=5e-3)


def test_a_floor_of_float32_stays_finite() -> None:
    """A row that sees nothing is all floor: infinite, its softmax would be no number."""
    text = """g (bool[1,4] seen, float[1,4] x) => (float[1,4] y) {
        h = Mul(x, gain)
        m = Where(seen, zero, floor)
        s = Add(h, m)
        y = Softmax(s)
    }"""
    floor = np.array(np.finfo(np.float32).min, np.float32)
    model = fp16(parse(text, gain=np.ones(4, np.float32), zero=np.zeros((), np.float32), floor=floor))
    x = np.zeros((1, 4), np.float32)
    np.testing.assert_allclose(values(model, {"seen": np.zeros((1, 4), bool), "x": x})[0], 0.25, atol=1e-3)
    exact = """g (int64[1,4] seen, float[1,4] x) => (float[1,4] y) {
        h = Mul(x, gain)
        f = Cast <to = 1> (seen)
        o = Sub(one, f)
        m = Mul(o, floor)
        s = Add(h, m)
        y = Softmax(s)
    }"""
    model = fp16(parse(exact, gain=np.ones(4, np.float32), one=np.ones((), np.float32), floor=floor))
    np.testing.assert_allclose(values(model, {"seen": np.zeros((1, 4), np.int64), "x": x})[0], 0.25, atol=1e-3)


def test_bf16_has_the_bits_and_the_cpu_shows_which_operator_it_lacks() -> None:
    w = weights(64, 32)
    model = parse("g (float[3,64] x) => (float[3,32] y) { y = MatMul(x, w) }", w=w)
    assert run_method(model, METHODS["bf16"], QuantizeSettings()).modified
    (stored,) = model.graph.initializers.values()
    assert stored.dtype == BF16
    np.testing.assert_array_equal(stored.const_value.numpy(), w.astype(ml_dtypes.bfloat16))
    with pytest.raises(ort.capi.onnxruntime_pybind11_state.NotImplemented, match="MatMul"):
        values(model, {"x": weights(3, 64)})


def test_an_excluded_node_computes_in_float32() -> None:
    w, x = weights(64, 32), weights(3, 64, seed=1)
    model = parse("g (float[3,64] x) => (float[3,32] y) { h = MatMul(x, w)  y = Mul(h, s) }", w=w, s=np.float32([2]))
    next(iter(model.graph)).name = "first"
    fp16(model, exclude=("first",))
    assert model.graph.initializers["w"].dtype == F32
    (got,) = values(model, {"x": x})
    np.testing.assert_allclose(got, 2 * (x @ w), rtol=1e-3, atol=1e-3)


def test_control_flow_is_refused_with_its_name() -> None:
    text = """g (bool c, float[2] x) => (float[2] y) {
        y = If (c) <then_branch = t () => (float[2] a) { a = Mul(x, w) },
                    else_branch = e () => (float[2] b) { b = Add(x, w) }>
    }"""
    model = parse(text, w=np.ones(2, np.float32))
    report = run_method(model, METHODS["fp16"], QuantizeSettings())
    assert not report.modified and "If holds graphs" in report.refused[0].reason

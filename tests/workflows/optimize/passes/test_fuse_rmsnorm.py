from __future__ import annotations

import numpy as np
import pytest

from tests.workflows.optimize.making import apply, check_fires, check_refuses, parse, weights

X = {"x": weights(2, 3, 16, seed=1) * 3}
HEAD = "norm (float[2,3,16] x) => (float[2,3,16] y) <float two = {2.0}, float one = {1.0}, float eps = {1e-5}, "
AXES = "int64[1] axes = {-1}, float minus = {-0.5}>"
MEAN = "p = Pow(x, two) m = ReduceMean(p, axes) a = Add(m, eps)"
FORMS = {
    "div": f"{MEAN} r = Sqrt(a) n = Div(x, r) y = Mul(n, w)",
    "reciprocal": f"{MEAN} r = Sqrt(a) i = Reciprocal(r) n = Mul(x, i) y = Mul(w, n)",
    "one over": f"{MEAN} r = Sqrt(a) i = Div(one, r) n = Mul(i, x) y = Mul(w, n)",
    "power": f"{MEAN} i = Pow(a, minus) n = Mul(x, i) y = Mul(w, n)",
    "x times x": "p = Mul(x, x) m = ReduceMean(p, axes) a = Add(eps, m) r = Sqrt(a) n = Div(x, r) y = Mul(n, w)",
}
SCALE = weights(16, seed=2)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("opset", "op"), [(18, "SimplifiedLayerNormalization"), (23, "RMSNormalization")])
def test_every_form(form: str, opset: int, op: str) -> None:
    model = parse(f"{HEAD}{AXES} {{ {FORMS[form]} }}", opset=opset, w=SCALE)
    assert check_fires(model, "fuse_rmsnorm", X) == {op: 1}
    (node,) = model.graph
    assert node.attributes.get_float("epsilon") == pytest.approx(1e-5)
    assert list(model.graph.initializers) == ["w"]


@pytest.mark.parametrize("epsilon", ["1e-6", "0.25", "3.0"])
def test_the_epsilon_is_the_graph_s_own(epsilon: str) -> None:
    """Values that 1e-5 would not give: the numbers are as small as the epsilon is."""
    model = parse(f"{HEAD.replace('1e-5', epsilon)}{AXES} {{ {FORMS['div']} }}", w=SCALE)
    small = {"x": X["x"] * np.float32(float(epsilon) ** 0.5)}
    assert check_fires(model, "fuse_rmsnorm", small) == {"RMSNormalization": 1}
    assert next(iter(model.graph)).attributes.get_float("epsilon") == pytest.approx(float(epsilon))


def test_axes_as_attribute_of_old_opsets() -> None:
    body = FORMS["div"].replace("ReduceMean(p, axes)", "ReduceMean<axes = [2]>(p)")
    model = parse(f"{HEAD[:-2]}> {{ {body} }}", opset=17, w=SCALE)
    assert check_fires(model, "fuse_rmsnorm", X) == {"SimplifiedLayerNormalization": 1}


def test_without_a_scale_it_is_ones() -> None:
    body = FORMS["div"].replace("n = Div(x, r) y = Mul(n, w)", "y = Div(x, r)")
    model = parse(f"{HEAD}{AXES} {{ {body} }}")
    assert check_fires(model, "fuse_rmsnorm", X) == {"RMSNormalization": 1}


def test_half_precision_that_is_widened_for_the_norm() -> None:
    text = """norm (float16[2,3,16] x) => (float16[2,3,16] y)
    <float two = {2.0}, float eps = {1e-5}, int64[1] axes = {-1}>
    { f = Cast<to = 1>(x) p = Pow(f, two) m = ReduceMean(p, axes) a = Add(m, eps) r = Sqrt(a) n = Div(f, r)
      h = Cast<to = 10>(n) y = Mul(w, h) }"""
    model = parse(text, w=SCALE.astype(np.float16))
    inputs = {"x": X["x"].astype(np.float16)}
    assert check_fires(model, "fuse_rmsnorm", inputs, tolerance=4e-3) == {"RMSNormalization": 1}


def test_a_scale_that_is_wider_than_the_norm_keeps_the_casts() -> None:
    text = """norm (float16[2,3,16] x) => (float[2,3,16] y)
    <float two = {2.0}, float eps = {1e-5}, int64[1] axes = {-1}>
    { f = Cast<to = 1>(x) p = Pow(f, two) m = ReduceMean(p, axes) a = Add(m, eps) r = Sqrt(a) n = Div(f, r)
      y = Mul(w, n) }"""
    inputs = {"x": X["x"].astype(np.float16)}
    assert check_fires(parse(text, w=SCALE), "fuse_rmsnorm", inputs) == {"Cast": 1, "RMSNormalization": 1}


@pytest.mark.parametrize("axes", ["-2", "-1, -2"])
def test_a_mean_over_other_axes_is_refused(axes: str) -> None:
    count = axes.count(",") + 1
    text = f"{HEAD}int64[{count}] axes = {{{axes}}}> {{ {FORMS['div']} }}"
    check_refuses(parse(text, w=SCALE), "fuse_rmsnorm", "the mean is not over the last axis alone")


def test_a_variance_is_no_rms() -> None:
    body = f"c = Identity(x) {FORMS['div'].replace('Div(x, r)', 'Div(c, r)')}"  # another value over the root
    model = parse(f"{HEAD}{AXES} {{ {body} }}", w=SCALE)
    (report,) = apply(model, "fuse_rmsnorm")
    assert not report.modified and not report.refused

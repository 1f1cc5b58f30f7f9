from __future__ import annotations

import numpy as np

from tests.workflows.optimize.making import apply, check_fires, check_refuses, operators, parse, weights

X = {"x": weights(1, 5, 12)}
ENDS = "g (float[1,S,12] x) => (float[1,S,12] y)"


def test_what_is_the_same_is_computed_once() -> None:
    text = f"{ENDS} {{ a = Cos(x) b = Cos(x) c = Sin(a) d = Sin(b) y = Add(c, d) }}"
    assert check_fires(parse(text), "common_subexpressions", X) == {"Cos": 1, "Sin": 1, "Add": 1}


def test_outputs_keep_their_names() -> None:
    text = "g (float[1,S,12] x) => (float[1,S,12] y, float[1,S,12] z) { y = Cos(x) z = Cos(x) }"
    model = parse(text)
    assert check_fires(model, "common_subexpressions", X) == {"Cos": 1, "Identity": 1}
    assert [value.name for value in model.graph.outputs] == ["y", "z"]


def test_other_attributes_are_another_value() -> None:
    text = f"{ENDS} {{ a = Softmax<axis = 1>(x) b = Softmax<axis = 2>(x) y = Add(a, b) }}"
    model = parse(text)
    assert not apply(model, "common_subexpressions")[0].modified
    assert operators(model) == {"Softmax": 2, "Add": 1}


def test_random_numbers_are_drawn_as_often_as_before() -> None:
    known = parse(f"{ENDS} {{ a = RandomNormalLike(x) b = RandomNormalLike(x) y = Add(a, b) }}")
    assert not apply(known, "common_subexpressions")[0].modified
    unknown = parse(f"{ENDS} {{ c = Bernoulli(x) d = Bernoulli(x) y = Add(c, d) }}")
    check_refuses(unknown, "common_subexpressions", "its Bernoulli draws random numbers")
    trained = parse(f"{ENDS} {{ c = Dropout(x, r, t) y = Neg(c) }}", r=np.float32(0.5), t=np.bool_(True))
    check_refuses(trained, "common_subexpressions", "its Dropout draws random numbers")

"""Routers, whose result selects experts, are told from other products by what reads it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.workflows.optimize.making import parse, weights
from workflows.quantize.linear_layers import is_router

CHOICES = {
    "scores": "p = Softmax(s) v, i = TopK(p, k)",
    "scaled scores": "p = Mul(s, c) v, i = TopK(p, k)",
    "divided scores": "p = Div(s, c) v, i = TopK(p, k)",
    "capped scores": "a = Div(s, c) b = Tanh(a) p = Mul(b, c) v, i = TopK(p, k)",
    "masked groups": "a = Sigmoid(s) b = Greater(a, c) p = Where(b, a, c) v, i = TopK(p, k)",
    "the best one": "i = ArgMax(s) v = Identity(s)",
}
CONSTANTS = {"w": weights(8, 8), "k": np.array([2]), "c": np.array([0.5], np.float32)}
OTHERS = {
    "a gate": "a = Sigmoid(s) b = Mul(a, s) v = MatMul(b, w) x, i = TopK(v, k)",
    "logits": "a = Mul(s, c) b = Tanh(a) v = Mul(b, c) i = Identity(k)",
}


@pytest.mark.parametrize("form", [*CHOICES, *OTHERS])
def test_a_router_is_what_a_choice_reads(form: str) -> None:
    nodes = (CHOICES | OTHERS)[form]
    model = parse(
        f"g (float[3,8] h) => (v, i) {{ s = MatMul(h, w) {nodes} }}",
        **{name: one for name, one in CONSTANTS.items() if re.search(rf"\b{name}\b", f"w {nodes}")},
    )
    assert is_router(next(iter(model.graph))) == (form in CHOICES)

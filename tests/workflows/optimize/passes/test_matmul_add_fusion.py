from __future__ import annotations

import numpy as np
import pytest

from tests.workflows.optimize.making import apply, check_fires, check_refuses, export_old, parse, weights

X = {"x": weights(5, 8, seed=3)}
W, B = weights(8, 6), weights(6, seed=4)


@pytest.mark.parametrize("body", ["m = MatMul(x, w) y = Add(m, b)", "m = MatMul(x, w) y = Add(b, m)"])
def test_two_matrices(body: str) -> None:
    model = parse(f"g (float[N,8] x) => (float[N,6] y) {{ {body} }}", opset=17, w=W, b=B)
    assert check_fires(model, "matmul_add_fusion", X) == {"Gemm": 1}
    assert str(model.graph.outputs[0].shape) == "[N,6]"


def test_batches_of_matrices_are_refused() -> None:
    text = "g (float[1,N,8] x) => (float[1,N,6] y) { m = MatMul(x, w) y = Add(m, b) }"
    check_refuses(parse(text, w=W, b=B), "matmul_add_fusion", "x has 3 axes, and Gemm takes 2")


def test_what_is_no_bias_is_refused() -> None:
    text = "g (float[5,8] x) => (float[5,6] y) { m = MatMul(x, w) y = Add(m, b) }"
    check_refuses(parse(text, w=W, b=weights(5, 1)), "matmul_add_fusion", "is no bias of 6 columns")


def test_an_unknown_rank_is_refused() -> None:
    text = "g (float x) => (float y) { m = MatMul(x, w) y = Add(m, b) }"
    model = parse(text, w=W, b=B)
    model.graph.inputs[0].shape = None
    check_refuses(model, "matmul_add_fusion", "the rank of x is not known")


def test_a_product_that_is_read_twice_stays() -> None:
    text = "g (float[5,8] x) => (float[5,6] y, float[5,6] m) { m = MatMul(x, w) y = Add(m, b) }"
    assert not apply(parse(text, w=W, b=B), "matmul_add_fusion")[0].modified


def test_a_head_after_pooling_of_an_old_export() -> None:
    import torch

    class Head(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(8, 3))
            self.bias = torch.nn.Parameter(torch.randn(3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.tanh(x[:, 0]) @ self.weight + self.bias

    model = export_old(Head(), torch.randn(1, 4, 8))
    counts = check_fires(model, "matmul_add_fusion", {"x": np.ones((1, 4, 8), np.float32)})
    assert counts["Gemm"] == 1 and "Add" not in counts

"""pack_qkv and pack_gate_up: their shared half is workflows/optimize/packing.py."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import apply, check_fires, check_refuses, export_old, parse, weights

X = {"x": weights(1, 5, 16, seed=9)}
ENDS = "g (float[1,S,16] x) => (float[1,S,16] y)"
SPLIT = "int64[4] h = {1, -1, 2, 8}, int64[3] f = {1, -1, 16}"
FUSED = f"""{ENDS} <{SPLIT}> {{ q = MatMul(x, wq) k = MatMul(x, wk) v = MatMul(x, wv)
  kb = Add(k, bk)
  qh = Reshape(q, h) kh = Reshape(kb, h) vh = Reshape(v, h)
  qt = Transpose<perm = [0,2,1,3]>(qh) kt = Transpose<perm = [0,2,1,3]>(kh) vt = Transpose<perm = [0,2,1,3]>(vh)
  a = Attention(qt, kt, vt) t = Transpose<perm = [0,2,1,3]>(a) y = Reshape(t, f) }}"""
GATED = f"{ENDS} {{ g = MatMul(x, wg) u = MatMul(x, wu) s = Sigmoid(g) a = Mul(g, s) p = Mul(a, u) y = MatMul(p, wd) }}"


def qkv() -> dict[str, Any]:
    return {name: weights(16, 16, seed=i) for i, name in enumerate(("wq", "wk", "wv"))} | {"bk": weights(16)}


def gated() -> dict[str, Any]:
    return {"wg": weights(16, 24), "wu": weights(16, 24, seed=1), "wd": weights(24, 16, seed=2)}


def test_query_key_and_value_become_one() -> None:
    model = parse(FUSED, **qkv())
    counts = check_fires(model, "pack_qkv", X)
    assert (counts["MatMul"], counts["Split"], counts["Add"]) == (1, 1, 1)
    assert set(model.graph.initializers) == {"h", "f", "wq.qkv", "wq.qkv.bias", "wq.qkv.widths"}
    assert str(model.graph.outputs[0].shape) == "[1,S,16]"


def test_unfused_attention_of_an_old_export() -> None:
    import torch

    class Attention(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.q, self.k, self.v = (torch.nn.Linear(16, 16, bias=bias) for bias in (True, False, True))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            q, k, v = (p(x).view(1, -1, 2, 8).transpose(1, 2) for p in (self.q, self.k, self.v))
            return torch.softmax(q @ k.transpose(2, 3) / 8**0.5, -1) @ v

    counts = check_fires(export_old(Attention(), torch.randn(1, 5, 16)), "pack_qkv", X)
    assert counts["MatMul"] == 3


def test_gate_and_up_become_one() -> None:
    model = parse(GATED, **gated())
    assert check_fires(model, "pack_gate_up", X) == {"MatMul": 2, "Split": 1, "Sigmoid": 1, "Mul": 2}
    np.testing.assert_array_equal(
        model.graph.initializers["wg.gate_up"].const_value.numpy(), np.hstack([gated()["wg"], gated()["wu"]])
    )


def test_each_leaves_the_others_alone() -> None:
    assert not apply(parse(FUSED, **qkv()), "pack_gate_up")[0].modified
    assert not apply(parse(GATED, **gated()), "pack_qkv")[0].modified


def test_a_shared_weight_is_refused() -> None:
    text = FUSED.replace("v = MatMul(x, wv)", "v = MatMul(x, wk)").replace(" wv", " wk")
    weights_ = {name: array for name, array in qkv().items() if name != "wv"}
    check_refuses(parse(text, **weights_), "pack_qkv", "the weight wk is shared")
    tied = GATED.replace("=> (float[1,S,16] y)", "=> (float[1,S,16] y, float[24,16] z)").replace(
        "u = MatMul", "z = Transpose(wu) u = MatMul"
    )
    check_refuses(parse(tied, **gated()), "pack_gate_up", "the weight wu is shared with another node")


def test_two_matmuls_that_do_not_meet_stay() -> None:
    text = GATED.replace("p = Mul(a, u)", "p = Add(a, u)").replace("a = Mul(g, s)", "a = Identity(s)")
    assert not apply(parse(text, **gated()), "pack_gate_up")[0].modified


@pytest.mark.parametrize("name", ["pack_qkv", "pack_gate_up"])
def test_weights_are_read_when_they_are_written(name: str) -> None:
    given = qkv() if name == "pack_qkv" else gated()
    model, reads = parse(FUSED if name == "pack_qkv" else GATED, **given), []

    @cache
    def lazy(which: str) -> ir.TensorProtocol:
        def read() -> ir.TensorProtocol:
            reads.append(which)
            return ir.tensor(given[which])

        return ir.LazyTensor(read, ir.DataType.FLOAT, ir.Shape(given[which].shape), name=which)

    for which in given:
        if which.startswith("w"):
            model.graph.initializers[which].const_value = lazy(which)
    assert apply(model, name)[0].modified and not reads
    packed = next(v for v in model.graph.initializers.values() if v.name.endswith(("qkv", "gate_up")))
    packed.const_value.numpy()
    assert len(reads) == (3 if name == "pack_qkv" else 2)

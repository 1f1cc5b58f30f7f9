from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import Arrays, apply, check_fires, check_refuses, operators, parse, weights

HEADS, KV_HEADS, DIM = 4, 2, 8
WIDTH = (HEADS + 2 * KV_HEADS) * DIM
TURN = "Transpose<perm = [0,2,1,3]>"
INPUTS: list[Arrays] = [{"x": weights(1, new, WIDTH, seed=new)} for new in (1, 5)]


def graph(
    *, norm: str = "RMSNormalization", perm: str = TURN, target: str = "1, -1, {}, 8", more: str = ""
) -> ir.Model:
    """x [1,S,64] split into 4 heads, 2 and 2; `norm` for queries and keys; `more`: what else is in the graph."""
    targets = ", ".join(f"int64[4] h{n} = {{{target.format(n)}}}" for n in (HEADS, KV_HEADS))
    norms = f"qn = {norm}(qh, scale) kn = {norm}(kh, scale)" if norm else "qn = Identity(qh) kn = Identity(kh)"
    text = f"""g (float[1,S,{WIDTH}] x) =>
      (float[1,{HEADS},S,8] q, float[1,{KV_HEADS},S,8] k, float[1,{KV_HEADS},S,8] v)
      <int64[3] widths = {{32, 16, 16}}, {targets}>
      {{ qp, kp, vp = Split<axis = -1>(x, widths)
        qh = Reshape(qp, h{HEADS}) kh = Reshape(kp, h{KV_HEADS}) vh = Reshape(vp, h{KV_HEADS})
        {norms} {more} q = {TURN}(qn) k = {perm}(kn) v = {TURN}(vh) }}"""
    model = parse(text, **({"scale": weights(DIM)} if norm else {}))
    if not norm:
        apply(model, "dead_nodes")
    return model


@pytest.mark.parametrize("norm", ["", "RMSNormalization", "LayerNormalization<axis = 3>"])
def test_heads_are_turned_before_the_split(norm: str) -> None:
    model = graph(norm=norm)
    expected = {"Reshape": 1, "Transpose": 1, "Split": 1} | ({norm.split("<")[0]: 2} if norm else {})
    assert check_fires(model, "heads_first", INPUTS, tolerance=0) == expected
    assert [str(value.shape) for value in model.graph.outputs] == ["[1,4,S,8]", "[1,2,S,8]", "[1,2,S,8]"]


@pytest.mark.parametrize("target", ["0, 0, {}, 8", "0, -1, {}, 8", "1, 0, -1, 8"])
def test_every_spelling_of_the_target(target: str) -> None:
    counts = check_fires(graph(target=target), "heads_first", INPUTS, tolerance=0)
    assert (counts["Reshape"], counts["Transpose"]) == (1, 1)


def test_unlike_heads_are_refused() -> None:
    model = graph(norm="")
    model.graph.initializers["h2"].const_value = ir.tensor(np.array([1, -1, 4, 4]), name="h2")
    for name, heads in (("k", 4), ("v", 4)):
        next(value for value in model.graph.outputs if value.name == name).shape = ir.Shape([1, heads, "S", 4])
    check_refuses(model, "heads_first", "its heads are of several sizes: 4, 8", node=str(model.graph.node(0).name))


def test_unlike_targets_are_refused() -> None:
    model = graph(norm="")
    model.graph.initializers["h2"].const_value = ir.tensor(np.array([0, 0, 2, 8]), name="h2")
    check_refuses(model, "heads_first", "its parts are brought into heads in several ways")


@pytest.mark.parametrize(
    "options",
    [
        {"perm": "Transpose<perm = [2,1,0,3]>"},  # not heads first
        {"norm": "RMSNormalization<axis = 2>"},  # over all heads
        {"more": "seen = Neg(vh)"},  # something else reads the values as they are
    ],
)
def test_what_is_something_else_stays(options: dict[str, Any]) -> None:
    if "perm" in options:
        model = parse(
            f"""g (float[1,1,16] x) => (float[1,2,1,4] q, float[2,1,1,4] k) <int64[4] h = {{1, 1, 2, 4}}>
              {{ qp, kp = Split<axis = -1, num_outputs = 2>(x) qh = Reshape(qp, h) kh = Reshape(kp, h)
                q = {TURN}(qh) k = {options["perm"]}(kh) }}"""
        )
    elif "norm" in options:
        model = graph()
        for node in model.graph:
            if node.op_type == "RMSNormalization":
                node.attributes["axis"] = ir.AttrInt64("axis", 2)
    else:
        model = graph(**options)
    before = operators(model)
    (report,) = apply(model, "heads_first")
    assert not report.modified and operators(model) == before


def test_a_scale_for_each_head_stays() -> None:
    model = graph()
    model.graph.initializers["scale"].const_value = ir.tensor(weights(1, DIM), name="scale")
    model.graph.initializers["scale"].shape = ir.Shape([1, DIM])
    assert not apply(model, "heads_first")[0].modified


@pytest.mark.slow
def test_a_real_export(tmp_path: Path, stage_cache: None) -> None:
    from workflows.builder import BuildRequest, build

    off = {"heads_first": False, "common_subexpressions": False}
    build(BuildRequest("demo:qwen3", tmp_path / "demo", {"cache": "static", "passes": off}))
    model = ir.load(tmp_path / "demo" / "decoder.onnx")
    before = operators(model)
    apply(model, "heads_first")
    after = operators(model)
    assert (before["Reshape"] - after["Reshape"], before["Transpose"] - after["Transpose"]) == (6, 6)  # of 3 layers
    assert after["RMSNormalization"] == before["RMSNormalization"]
    (report,) = apply(model, "common_subexpressions")
    assert report.modified
    assert (before["Cos"], operators(model)["Cos"], operators(model)["Sin"]) == (6, 1, 1)

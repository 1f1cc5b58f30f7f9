from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.workflows.optimize.making import Arrays, check_fires, check_refuses, parse

HEADS, DIM = 4, 64


def graph(kv_heads: int = 2, *, sequence: str = "S", attention: str = "Attention<scale = 0.3>", axis: int = 2) -> str:
    past, new = (f"float[1,{kv_heads},{axis_},{DIM}]" for axis_ in ("C", sequence))
    return f"""g (float[1,{HEADS},{sequence},{DIM}] q, {past} pk, {past} pv, {new} k, {new} v,
      float[1,1,{sequence},T] mask) => (float[1,{HEADS},{sequence},{DIM}] y)
      {{ ks = Concat<axis = {axis}>(pk, k) vs = Concat<axis = {axis}>(pv, v) y = {attention}(q, ks, vs, mask) }}"""


def inputs(kv_heads: int, slots: int, new: int) -> Arrays:
    rng = np.random.default_rng(slots + new)
    shapes: dict[str, Any] = {"q": (HEADS, new), "pk": (kv_heads, slots), "pv": (kv_heads, slots)}
    shapes |= {"k": (kv_heads, new), "v": (kv_heads, new)}
    arrays = {n: rng.standard_normal((1, *shape, DIM)).astype(np.float32) for n, shape in shapes.items()}
    seen = np.tri(new, slots + new, slots, dtype=bool)
    seen[:, slots // 2 : slots] = False  # slots that hold nothing yet
    return arrays | {"mask": np.where(seen, 0, np.finfo(np.float32).min).astype(np.float32)[None, None]}


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
@pytest.mark.parametrize("attention", ["Attention<scale = 0.3>", "Attention"])
def test_the_same_without_a_copy_of_the_cache(kv_heads: int, attention: str) -> None:
    model = parse(graph(kv_heads, attention=attention))
    feeds = [inputs(kv_heads, slots, new) for slots, new in ((16, 1), (16, 5), (64, 64), (2, 1))]
    counts = check_fires(model, "split_attention", feeds)
    assert "Attention" not in counts
    assert (counts["FusedMatMul"], counts["MatMul"], counts["Concat"]) == (2, 2, 2)  # of scores, and of lengths
    assert counts.get("Reshape", 0) == (0 if kv_heads == HEADS else 4)
    assert str(model.graph.outputs[0].shape) == "[1,4,S,64]"


def test_layers_with_caches_of_different_lengths_are_divided_by_their_own() -> None:
    """A sliding window's cache has fewer slots than that of full attention; layers of one length share the division."""
    names = ("", "2", "3")
    pasts = ", ".join(
        f"float[1,2,{axis},{DIM}] pk{n}, float[1,2,{axis},{DIM}] pv{n}" for n, axis in zip(names, "CWC", strict=True)
    )
    nodes = " ".join(
        f"ks{n} = Concat<axis = 2>(pk{n}, k) vs{n} = Concat<axis = 2>(pv{n}, v) "
        f"y{n} = Attention<scale = 0.3>(q, ks{n}, vs{n}, mask{'2' if n == '2' else ''})"
        for n in names
    )
    model = parse(f"""g (float[1,{HEADS},S,{DIM}] q, {pasts}, float[1,2,S,{DIM}] k, float[1,2,S,{DIM}] v,
      float[1,1,S,T] mask, float[1,1,S,U] mask2) => ({", ".join(f"float[1,{HEADS},S,{DIM}] y{n}" for n in names)})
      {{ {nodes} }}""")
    full, sliding = inputs(2, 32, 1), inputs(2, 8, 1)
    feeds = full | {"pk3": full["pk"][:, ::-1], "pv3": full["pv"][:, ::-1]}
    feeds |= {"pk2": sliding["pk"], "pv2": sliding["pv"], "mask2": sliding["mask"]}
    counts = check_fires(model, "split_attention", feeds)
    assert (counts["Shape"], counts["Split"]) == (4, 3)


def test_one_fixed_query() -> None:
    check_fires(parse(graph(sequence="1")), "split_attention", inputs(2, 16, 1))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (graph(sequence="64"), "it is fixed to 64 queries"),
        (graph(attention="Attention<softcap = 20.0>"), "it caps its scores"),
        (graph(attention="Attention<is_causal = 1>"), "it caps its scores, masks by itself"),
        (graph().replace(",64]", ",16]"), "its cache has rows of 32 numbers"),
        (graph(axis=3), "not joined along the slots"),
        (graph().replace("float[1,1,S,T] mask", "bool[1,1,S,T] mask"), "no float32 mask"),
        (graph().replace("=> (", "=> (float[1,2,T,64] ks, "), "something else reads the joined rows"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    check_refuses(parse(text), "split_attention", reason)

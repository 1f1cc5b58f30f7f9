from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import Arrays, apply, check_fires, check_refuses, operators, parse
from workflows.common.tensor_names import POSITIONS_KEY

HEADS, KV_HEADS, DIM, SLOTS = 4, 2, 16, 24
TURN = "Transpose<perm = [0,2,1,3]>"


def graph(*, angle: str = "f = Mul(p, inv)", turned: str = "qk", slots: str = "C", pairs: int = 8) -> str:
    """One layer of the gqa layout; `turned`: which of query and key go through a rotary."""
    rotary = f"RotaryEmbedding<rotary_embedding_dim = {2 * pairs if 2 * pairs < DIM else 0}>"
    sides = []
    for side, heads in (("q", HEADS), ("k", KV_HEADS)):
        turn = f"{side}r = {rotary}({side}t, cos, sin)" if side in turned else f"{side}r = Identity({side}t)"
        sides.append(
            f"{side}t = {TURN}({side}) {turn} {side}b = {TURN}({side}r) {side}f = Reshape({side}b, flat{heads})"
        )
    past = f"float[1,{KV_HEADS},{slots},{DIM}]"
    return f"""g (float[1,S,{HEADS},{DIM}] q, float[1,S,{KV_HEADS},{DIM}] k, float[1,S,{KV_HEADS * DIM}] v,
      int64[1,S] position_ids, int32[1] seqlens_k, int32 total_sequence_length,
      {past} past_key_values_0_key, {past} past_key_values_0_value)
      => (float[1,S,{HEADS * DIM}] y, {past} present_0_key, {past} present_0_value)
      <int64[1] last = {{2}}, int64[3] flat{HEADS} = {{1, -1, {HEADS * DIM}}},
       int64[3] flat{KV_HEADS} = {{1, -1, {KV_HEADS * DIM}}}>
      {{ u = Unsqueeze(position_ids, last) p = Cast<to = 1>(u) {angle} cos = Cos(f) sin = Sin(f)
        {" ".join(sides)}
        y, present_0_key, present_0_value = com.microsoft.GroupQueryAttention
          <num_heads = {HEADS}, kv_num_heads = {KV_HEADS}>
          (qf, kf, v, past_key_values_0_key, past_key_values_0_value, seqlens_k, total_sequence_length) }}"""


def inputs(before: int, new: int, first: int | None = None) -> Arrays:
    """`new` tokens after `before`, at their own positions or from `first` on."""
    rng = np.random.default_rng(before)
    past = rng.standard_normal((2, 1, KV_HEADS, SLOTS, DIM)).astype(np.float32)
    rows: dict[str, Any] = {
        name: rng.standard_normal((1, new, heads, DIM)).astype(np.float32)
        for name, heads in (("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS))
    }
    return rows | {
        "v": rows["v"].reshape(1, new, -1),
        "position_ids": np.arange(new)[None] + (before if first is None else first),
        "seqlens_k": np.array([before + new - 1], np.int32),
        "total_sequence_length": np.array(before + new, np.int32),
        "past_key_values_0_key": past[0],
        "past_key_values_0_value": past[1],
    }


FEEDS = [inputs(0, 7), inputs(7, 1), inputs(3, 4), inputs(5, 1, first=17)]


def make(positions: int | None = 64, pairs: int = 8, **options: Any) -> ir.Model:
    angles = (10000.0 ** -np.linspace(0, 1, pairs)).astype(np.float32)
    model = parse(graph(pairs=pairs, **options), contrib=True, inv=angles)
    if positions is not None:
        model.metadata_props[POSITIONS_KEY] = str(positions)
    return model


def test_rotary_goes_into_the_attention() -> None:
    model = make()
    assert check_fires(model, "gqa_attention", FEEDS) == {"Reshape": 2, "GroupQueryAttention": 1}
    node = model.graph.node(2)
    assert node.attributes.get_int("do_rotary") == 1
    assert [value.name for value in node.inputs[7:]] == ["cos.table", "sin.table", "position_ids"]
    assert model.graph.initializers["cos.table"].const_value.shape == (64, 8)
    assert [str(value.shape) for value in model.graph.outputs[1:]] == ["[1,2,C,16]"] * 2


def test_fixed_slots_show_how_many_positions_there_are() -> None:
    model = make(None, slots=str(SLOTS))
    check_fires(model, "gqa_attention", FEEDS)
    assert model.graph.initializers["sin.table"].const_value.shape == (SLOTS, 8)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"positions": None}, "how many positions its tables would need is not known"),
        ({"positions": 1 << 21}, "for 2,097,152 positions would be larger than 64 MiB"),
        ({"turned": "q"}, "not both turned by a RotaryEmbedding"),
        ({"pairs": 4}, "takes heads of which a multiple of 16 is rotated, and this model rotates 8"),
        (
            {"angle": "r = ReduceMax<keepdims = 1>(p) d = Div(p, r) f = Mul(d, inv)"},
            "the angle of a position depends on more than the position",
        ),
        (
            {"angle": "z = Cast<to = 1>(total_sequence_length) d = Add(p, z) f = Mul(d, inv)"},
            "its angles depend on total_sequence_length besides the positions",
        ),
    ],
)
def test_refusals(options: dict[str, Any], reason: str) -> None:
    check_refuses(make(**options), "gqa_attention", reason)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("attention_mask", "no input seqlens_k: in the static and window layouts the host writes the rows"),
        ("write_indices", "the cache is of the scatter layout"),
    ],
)
def test_other_layouts_are_refused(name: str, reason: str) -> None:
    ends = f"g (int64[1] position_ids, int64[1] {name}, float[1,2] past_key_values_0_key) => (int64[1] y)"
    text = f"{ends} {{ y = Neg({name}) }}"
    check_refuses(parse(text), "gqa_attention", reason)
    check_refuses(parse("g (float[1] x) => (float[1] y) { y = Neg(x) }"), "gqa_attention", "keeps no cache")


@pytest.mark.slow
def test_the_demo_in_both_layouts(tmp_path: Path, stage_cache: None) -> None:
    from workflows.builder import BuildRequest, build

    off = dict.fromkeys(("gqa_attention", "simplify_layout"), False)
    for cache in ("gqa", "static"):
        build(BuildRequest("demo:qwen3", tmp_path / cache, {"cache": cache, "passes": off}))
    model = ir.load(tmp_path / "gqa" / "decoder.onnx")
    assert apply(model, "gqa_attention")[0].modified
    counts = operators(model)
    assert "RotaryEmbedding" not in counts and "Cos" not in counts and counts["GroupQueryAttention"] == 3
    static = ir.load(tmp_path / "static" / "decoder.onnx")
    check_refuses(static, "gqa_attention", "in the static and window layouts the host writes the rows")

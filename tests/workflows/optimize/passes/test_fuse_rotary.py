from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import apply, check_fires, check_refuses, operators, parse, weights

HEADS, DIM = 3, 8
SLICED = "a = Slice(x, zero, half, last, one) b = Slice(x, half, end, last, one)"
SPLIT = "a, b = Split<axis = -1, num_outputs = 2>(x)"
TABLES = "t = Concat<axis = -1>(f, f) c = Cos(t) cos = Mul(c, by) s = Sin(t) sin = Mul(s, by)"


def graph(*, halves: str = SLICED, tables: str = TABLES, turned: str = "n = Neg(b) r = Concat<axis = -1>(n, a)") -> str:
    return f"""g (float[1,{HEADS},S,{DIM}] x, float[1,S,{DIM // 2}] f) => (float[1,{HEADS},S,{DIM}] y)
      <int64[1] zero = {{0}}, int64[1] half = {{4}}, int64[1] end = {{9223372036854775807}}, int64[1] last = {{3}},
       int64[1] one = {{1}}, float by = {{1.25}}>
      {{ {tables} cosh = Unsqueeze(cos, one) sinh = Unsqueeze(sin, one)
        {halves} {turned} p = Mul(x, cosh) q = Mul(r, sinh) y = Add(p, q) }}"""


INPUTS = [{"x": weights(1, HEADS, new, DIM), "f": weights(1, new, DIM // 2, seed=1) * 30} for new in (1, 6)]


@pytest.mark.parametrize("halves", [SLICED, SPLIT])
def test_the_sum_becomes_one_node(halves: str) -> None:
    model = parse(graph(halves=halves))
    assert check_fires(model, "fuse_rotary", INPUTS) == {"Cos": 1, "Sin": 1, "Mul": 2, "RotaryEmbedding": 1}
    assert str(model.graph.outputs[0].shape) == f"[1,{HEADS},S,{DIM}]"


def test_summands_and_factors_in_any_order() -> None:
    text = graph().replace("Mul(x, cosh)", "Mul(cosh, x)").replace("Mul(r, sinh)", "Mul(sinh, r)")
    assert "RotaryEmbedding" in check_fires(parse(text.replace("Add(p, q)", "Add(q, p)")), "fuse_rotary", INPUTS)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            graph(tables=TABLES.replace("(f, f)", "(f, g)").replace("t =", "g = Neg(f) t =")),
            "are not known to be equal",
        ),
        (graph().replace(f"{HEADS},S", "H,S"), "and the operator takes [B,H,S,D]"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    check_refuses(parse(text), "fuse_rotary", reason)


def test_an_older_operator_set_is_refused() -> None:
    check_refuses(parse(graph(), opset=20), "fuse_rotary", "opset 20 has no RotaryEmbedding, which came with 23")


@pytest.mark.parametrize(
    "options",
    [
        {"turned": "n = Neg(a) r = Concat<axis = -1>(n, b)"},  # the halves are not exchanged
        {"turned": "n = Neg(a) r = Concat<axis = -1>(b, n)"},  # turned the other way
        {"halves": SLICED.replace("x, half, end", "x, zero, half")},  # the first half twice
    ],
)
def test_what_is_no_rotation_stays(options: dict[str, str]) -> None:
    model = parse(graph(**options))
    before = operators(model)
    (report,) = apply(model, "fuse_rotary")
    assert not report.modified and operators(model) == before


@pytest.mark.slow
def test_a_real_export_of_opset_24(tmp_path: Path, stage_cache: None) -> None:
    from workflows.builder import BuildRequest, build

    off = {"fuse_rotary": False, "common_subexpressions": False}
    build(BuildRequest("demo:qwen3", tmp_path / "demo", {"cache": "scatter", "passes": off}))
    model = ir.external_data.load_to_model(ir.load(tmp_path / "demo" / "decoder.onnx"))
    rng, feeds = np.random.default_rng(0), {}
    for value in model.graph.inputs:
        shape = [
            axis if isinstance(axis, int) else {"sequence": 3, "capacity": 16}[str(axis.value)] for axis in value.shape
        ]
        feeds[str(value.name)] = rng.standard_normal(shape).astype(value.dtype.numpy())
    feeds |= {"input_ids": np.array([[5, 6, 7]]), "position_ids": np.array([[4, 5, 6]])}
    feeds |= {"write_indices": np.array([4]), "nonpad_kv_seqlen": np.array([7])}
    before = operators(model)
    counts = check_fires(model, "fuse_rotary", feeds, tolerance=1e-4)
    assert (counts["RotaryEmbedding"], before["Neg"], counts.get("Neg", 0)) == (6, 6, 0)

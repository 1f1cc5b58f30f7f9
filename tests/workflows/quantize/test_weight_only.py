"""int4 and int8 weights: the very values that numpy makes of the stored integers, and reasons for what is left."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import operators, parse, values, weights
from workflows.common.errors import GraphError, RecipeError
from workflows.quantize import METHODS, check_excluded, run_method
from workflows.quantize.block_quantization import dequantize_rows, quantize_rows
from workflows.quantize.grids import BlockFormat
from workflows.recipe import QuantizeSettings

EXACT = 2e-5  # sums in another order
WORST = {4: 0.1, 8: 0.51 / 255}  # as a share of the range: 4 bits may cut a fifth off an end, 8 round by half a step


def stored(model: ir.Model, weight: str, inner: int, how: BlockFormat) -> np.ndarray:
    """The matrix [N,K] that the graph's own integers stand for."""
    parts = [model.graph.initializers.get(f"{weight}.int{how.bits}{end}") for end in ("", ".scales", ".zeros")]
    packed, scales, zeros = (part and part.const_value.numpy() for part in parts)
    return dequantize_rows(packed, scales, zeros, inner, how)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("block", [16, 32, 64, 128])
@pytest.mark.parametrize("bits", [4, 8])
def test_a_matmul_gives_what_its_integers_say(bits: int, block: int, symmetric: bool) -> None:
    w, x = weights(100, 48), weights(3, 100, seed=1)
    model = parse("g (float[3,100] x) => (float[3,48] y) { y = MatMul(x, w) }", w=w)
    settings = QuantizeSettings(block_size=block, symmetric=symmetric, accuracy_level=1)
    report = run_method(model, METHODS[f"int{bits}"], settings)
    assert report.modified and not report.refused
    assert operators(model) == {"MatMulNBits": 1} and "w" not in model.graph.initializers
    rows = stored(model, "w", 100, BlockFormat(bits, block, symmetric))
    (got,) = values(model, {"x": x})
    np.testing.assert_allclose(got, x @ rows.T, atol=EXACT)
    spread = 2 * np.abs(w).max()
    assert np.abs(rows.T - w).max() <= spread * WORST[bits]


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("inner", [8, 31, 33, 100, 128])
def test_any_inner_size_is_filled_up_to_whole_blocks(bits: int, inner: int) -> None:
    w, x, b = weights(24, inner), weights(2, inner, seed=1), weights(24, seed=2)
    text = f"g (float[2,{inner}] x) => (float[2,24] y) {{ y = Gemm <transB = 1> (x, w, b) }}"
    model = parse(text, w=w, b=b)
    run_method(model, METHODS[f"int{bits}"], QuantizeSettings(accuracy_level=1))
    rows = stored(model, "w", inner, BlockFormat(bits, 32, False))
    (got,) = values(model, {"x": x})
    np.testing.assert_allclose(got, x @ rows.T + b, atol=EXACT)


@pytest.mark.parametrize(("back", "left"), [([1, -1, 24], {}), ([-1, 2, 24], {"Reshape": 2})])
def test_reshapes_that_only_a_gemm_wanted_go(back: list[int], left: dict[str, int]) -> None:
    """Where the rows come back in the axes that they had, and not where they come in others."""
    w, x = weights(24, 32), weights(1, 6, 32, seed=1)
    axes = "1,S,24" if back[0] == 1 else "B,2,24"
    steps = "r = Reshape(x, flat) p = Gemm <transB = 1> (r, w) y = Reshape(p, back)"
    text = f"g (float[1,S,32] x) => (float[{axes}] y) <float[S,32] r, float[S,24] p> {{ {steps} }}"
    model = parse(text, w=w, flat=np.array([-1, 32]), back=np.array(back))
    run_method(model, METHODS["int4"], QuantizeSettings(accuracy_level=1))
    assert operators(model) == {"MatMulNBits": 1} | left
    (got,) = values(model, {"x": x})
    rows = stored(model, "w", 32, BlockFormat(4, 32, QuantizeSettings().symmetric))
    np.testing.assert_allclose(got, (x[0] @ rows.T).reshape(back), atol=EXACT)


def test_accuracy_level_4_stays_near_the_integers() -> None:
    w, x = weights(256, 64), weights(5, 256, seed=1)
    model = parse("g (float[5,256] x) => (float[5,64] y) { y = MatMul(x, w) }", w=w)
    run_method(model, METHODS["int4"], QuantizeSettings())
    rows = stored(model, "w", 256, BlockFormat(4, 32, False))
    (got,) = values(model, {"x": x})
    assert np.abs(got - x @ rows.T).max() <= 0.02 * np.abs(x @ rows.T).max()  # activations in 8 bits


@pytest.mark.parametrize("block", [16, 32, 64, 128])
@pytest.mark.parametrize(("inner", "outer"), [(256, 64), (100, 48), (33, 7), (128, 1), (300, 1)])
def test_accuracy_level_4_takes_every_block_and_odd_shapes(inner: int, outer: int, block: int) -> None:
    """Symmetric, as the CPU's bundles are, with a bias; one row, and several."""
    w, b = weights(outer, inner), weights(outer, seed=2)
    text = f"g (float[M,{inner}] x) => (float[M,{outer}] y) {{ y = Gemm <transB = 1> (x, w, b) }}"
    model = parse(text, w=w, b=b)
    run_method(model, METHODS["int4"], QuantizeSettings(symmetric=True, block_size=block))
    rows = stored(model, "w", inner, BlockFormat(4, block, True))
    for count in (1, 3):
        x = weights(count, inner, seed=1)
        (got,) = values(model, {"x": x})
        lost = np.abs(x).max() / 254 * np.abs(rows).sum(1).max()  # half a step of 8-bit activations, in each number
        np.testing.assert_allclose(got, x @ rows.T + b, atol=lost)
        assert np.abs(got - x @ rows.T - b).mean() <= 0.2 * lost


ATTENDED = {
    "com.microsoft": "a = com.microsoft.MultiHeadAttention <num_heads = 2> (q, k, v)",
    "spelt out": "p = MatMul(q, k2) s = Softmax(p) a = MatMul(s, v)",
}


@pytest.mark.parametrize("attended", ATTENDED.values(), ids=ATTENDED)
@pytest.mark.parametrize("bits", [4, 8])
def test_finer_blocks_are_for_the_head_the_table_and_what_follows_attention(bits: int, attended: str) -> None:
    tensors = {name: weights(128, 128, seed=i) for i, name in enumerate(("table", "up", "out", "other"))}
    text = f"""g (int64[1,S] ids, float[1,S,128] q, float[1,S,128] k, float[1,128,S] k2, float[1,S,128] v)
        => (float[1,S,128] logits) <float[1,S,128] e, float[1,S,128] a> {{
        e = Gather(table, ids) {attended} o = MatMul(a, out) u = MatMul(e, up) m = Add(o, u) n = MatMul(m, other)
        t = Transpose <perm = [1, 0]> (table) logits = MatMul(n, t) }}"""
    model = parse(text, **tensors)
    settings = QuantizeSettings(block_size=64, fine_block_size=16, embedding=None)
    assert run_method(model, METHODS[f"int{bits}"], settings).modified
    found = {
        str(node.inputs[1 if node.op_type == "MatMulNBits" else 0].name): node.attributes["block_size"].value
        for node in model.graph
        if "block_size" in node.attributes
    }
    fine = 16 if bits == 4 else 64
    name = f"int{bits}"
    assert found == {
        f"table.{name}.rows": fine, f"table.{name}": fine, f"out.{name}": fine, f"up.{name}": 64, f"other.{name}": 64,
    }  # fmt: skip


@pytest.mark.parametrize(("inner", "block", "expected"), [(96, 64, 32), (96, 128, 32), (48, 32, 16), (100, 64, 64)])
def test_rows_are_parted_evenly_where_they_can_be(inner: int, block: int, expected: int) -> None:
    """What a last block is filled up with would be stored and multiplied."""
    w, x = weights(inner, 24), weights(2, inner, seed=1)
    model = parse(f"g (float[2,{inner}] x) => (float[2,24] y) {{ y = MatMul(x, w) }}", w=w)
    run_method(model, METHODS["int4"], QuantizeSettings(block_size=block, accuracy_level=1))
    (node,) = (node for node in model.graph if node.op_type == "MatMulNBits")
    assert node.attributes["block_size"].value == expected
    (got,) = values(model, {"x": x})
    np.testing.assert_allclose(got, x @ stored(model, "w", inner, BlockFormat(4, expected, False)).T, atol=EXACT)


def test_values_on_the_grid_come_back_exactly() -> None:
    """Integers between the two ends of a grid need no rounding; a block of one number, or of zeros, neither."""
    rng = np.random.default_rng(0)
    grid = rng.integers(0, 16, (4, 64)).astype(np.float32)
    grid[:, ::32], grid[:, 1::32] = 0, 15
    rows = np.concatenate([(grid - 5) * 0.25, np.zeros((1, 64)), np.full((1, 64), -3.5)]).astype(np.float32)
    how = BlockFormat(4, 32, False)
    np.testing.assert_allclose(dequantize_rows(*quantize_rows(rows, how), 64, how), rows, atol=1e-6)
    how = BlockFormat(8, 32, True)
    rows = np.concatenate([np.zeros((1, 64)), np.full((1, 64), -3.5), np.full((1, 64), 3.5)]).astype(np.float32)
    np.testing.assert_allclose(dequantize_rows(*quantize_rows(rows, how), 64, how), rows, atol=1e-6)


def test_four_bits_search_the_range_that_loses_least() -> None:
    rows = np.random.default_rng(0).normal(size=(64, 128)).astype(np.float32)
    how = BlockFormat(4, 32, False)
    blocks = rows.reshape(64, 4, 32)
    ours = dequantize_rows(*quantize_rows(rows, how), 128, how).reshape(blocks.shape)
    low, high = (find(blocks, axis=-1, keepdims=True) for find in (np.min, np.max))
    scale = (high - low) / 15
    zero = np.clip(np.rint(-low / scale), 0, 15)
    plain = (np.clip(np.rint(blocks / scale) + zero, 0, 15) - zero) * scale
    lost, before = (((made - blocks) ** 2).sum(-1) for made in (ours, plain))
    assert (lost <= before * 1.0001).all() and lost.sum() < 0.93 * before.sum()


TIED = """g (int64[1,S] ids) => (float[1,S,40] logits) {
    x = Gather(table, ids)
    t = Transpose <perm = [1,0]> (table)
    logits = MatMul(x, t)
}"""


def test_a_tied_head_is_quantized_and_the_table_that_stays_is_reported() -> None:
    table, ids = weights(40, 64), np.array([[3, 39, 0]])
    model = parse(TIED, table=table)
    report = run_method(model, METHODS["int8"], QuantizeSettings(accuracy_level=1))
    assert operators(model) == {"Gather": 1, "MatMulNBits": 1}
    assert ["10,240 bytes" in refusal.reason for refusal in report.refused] == [True]
    rows = stored(model, "table", 64, BlockFormat(8, 32, False))
    np.testing.assert_allclose(values(model, {"ids": ids})[0], table[ids] @ rows.T, atol=EXACT)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("bits", [4, 8])
def test_a_quantized_table_gives_its_own_rows_and_the_head_reads_the_same_bytes(bits: int, symmetric: bool) -> None:
    table, ids = weights(40, 64), np.array([[3, 39, 0]])
    model = parse(TIED, table=table)
    settings = QuantizeSettings(embedding=None, accuracy_level=1, symmetric=symmetric)
    report = run_method(model, METHODS[f"int{bits}"], settings)
    assert operators(model) == {"GatherBlockQuantized": 1, "MatMulNBits": 1} and not report.refused
    rows = stored(model, "table", 64, BlockFormat(bits, 32, symmetric))
    np.testing.assert_allclose(values(model, {"ids": ids})[0], rows[ids] @ rows.T, atol=EXACT)
    flat = model.graph.initializers[f"table.int{bits}.rows"].const_value.numpy()
    assert flat.tobytes() == model.graph.initializers[f"table.int{bits}"].const_value.numpy().tobytes()


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_table_whose_rows_are_no_whole_blocks_has_smaller_ones_and_so_has_its_head(symmetric: bool) -> None:
    table, w, ids = weights(40, 96), weights(96, 96, seed=1), np.array([[3, 39, 0]])
    text = TIED.replace("MatMul(x, t)", "MatMul(y, t)").replace("t =", "y = MatMul(x, w)  t =")
    model = parse(text, table=table, w=w)
    settings = QuantizeSettings(embedding=None, accuracy_level=1, symmetric=symmetric, block_size=128)
    report = run_method(model, METHODS["int4"], settings)
    assert operators(model) == {"GatherBlockQuantized": 1, "MatMulNBits": 2} and not report.refused
    rows = stored(model, "table", 96, BlockFormat(4, 32, symmetric))
    other = stored(model, "w", 96, BlockFormat(4, 128, symmetric))
    np.testing.assert_allclose(values(model, {"ids": ids})[0], rows[ids] @ other.T @ rows.T, atol=EXACT)


def test_a_table_that_two_read_and_scale_is_taken_for_both() -> None:
    """As in T5 and BART, whose encoder and decoder read one table, and in Gemma, which scales it."""
    text = """g (int64[1,S] ids, int64[1,S] others) => (float[1,S,64] y) {
        a = Gather(table, ids)
        cast = Cast <to = 7> (others)
        b = Gather(table, cast)
        scaled = Mul(a, eight)
        y = Add(scaled, b)
    }"""
    table, ids, others = weights(40, 64), np.array([[3, 39, 0]]), np.array([[1, 1, 2]])
    model = parse(text, table=table, eight=np.float32(8))
    run_method(model, METHODS["int4"], QuantizeSettings(embedding=None, symmetric=True))
    assert operators(model)["GatherBlockQuantized"] == 2 and "table" not in model.graph.initializers
    flat = model.graph.initializers["table.int4.rows"].const_value.numpy().reshape(40, 2, 16)
    scales = model.graph.initializers["table.int4.scales"].const_value.numpy()
    rows = dequantize_rows(flat, scales, None, 64, BlockFormat(4, 32, True))
    (got,) = values(model, {"ids": ids, "others": others})
    np.testing.assert_allclose(got, 8 * rows[ids] + rows[others], atol=EXACT)


def test_tables_of_places_stay_and_so_does_one_whose_head_stays() -> None:
    places = "g (int64[1,S] position_ids) => (float[1,S,64] y) { y = Gather(w, position_ids) }"
    assert "positions or types" in refusal_of(places, QuantizeSettings(embedding=None), w=weights(40, 64))
    counted = "g (int64[1,S] ids) => (float[1,S,64] y) { c = CumSum(ids, one)  y = Gather(w, c) }"
    assert "positions or types" in refusal_of(
        counted, QuantizeSettings(embedding=None), w=weights(40, 64), one=np.int64(1)
    )
    kept = refusal_of(TIED, QuantizeSettings(embedding=None, head="fp32"), table=weights(40, 64))
    assert "10,240 bytes" in kept and "which the recipe leaves alone" in kept


def test_the_head_can_be_left_alone() -> None:
    text = """g (float[2,32] x) => (float[2,16] logits) { h = MatMul(x, a)  r = MatMul(h, b)  logits = Tanh(r) }"""
    model = parse(text, a=weights(32, 32), b=weights(32, 16))
    report = run_method(model, METHODS["int4"], QuantizeSettings(head="fp32"))
    assert operators(model) == {"MatMulNBits": 1, "MatMul": 1, "Tanh": 1}
    assert "head" in report.refused[0].reason and "b" in model.graph.initializers


def refusal_of(text: str, settings: QuantizeSettings = QuantizeSettings(), **initializers: Any) -> str:  # noqa: B008 (frozen)
    model = parse(text, **initializers)
    report = run_method(model, METHODS["int4"], settings)
    assert not report.modified
    return " ".join(refusal.reason for refusal in report.refused)


def test_what_is_left_alone_has_a_reason() -> None:
    conv = "g (float[1,4,8,8] x) => (float[1,8,8,8] y) { y = Conv <kernel_shape = [1,1]> (x, w) }"
    assert "Conv" in refusal_of(conv, w=weights(8, 4, 1, 1))
    experts = "g (float[3,2,8] x) => (float[3,2,4] y) { y = MatMul(x, w) }"
    assert "3 axes" in refusal_of(experts, w=weights(3, 8, 4))
    left = "g (float[8,2] x) => (float[4,2] y) { y = MatMul(w, x) }"
    assert "left" in refusal_of(left, w=weights(4, 8))
    double = "g (double[2,8] x) => (double[2,4] y) { y = MatMul(x, w) }"
    assert "double" in refusal_of(double, w=weights(8, 4, dtype=np.float64))
    scaled = "g (float[2,8] x) => (float[2,4] y) { y = Gemm <alpha = 0.5> (x, w) }"
    assert "scales" in refusal_of(scaled, w=weights(8, 4))
    model = parse("g (float[2,8] x) => (float[2,4] y) { y = MatMul(x, w) }", w=weights(8, 4))
    name = next(iter(model.graph)).name = "the_one"
    report = run_method(model, METHODS["int4"], QuantizeSettings(exclude=(name,)))
    assert [(refusal.reason, refusal.node) for refusal in report.refused] == [("the recipe excludes it", name)]
    rows = "g (int64[2] ids) => (float[2,40] y) { y = Gather(w, ids) }"
    assert "no whole blocks of 32" in refusal_of(rows, QuantizeSettings(embedding=None), w=weights(8, 40))


def test_a_product_of_two_activations_is_nobodys_weight() -> None:
    text = "g (float[2,8] x) => (float[2,2] y) { t = Transpose(x)  y = MatMul(x, t) }"
    assert refusal_of(text) == ""


def test_a_quantized_graph_is_not_quantized_again() -> None:
    model = parse("g (float[2,32] x) => (float[2,4] y) { y = MatMul(x, w) }", w=weights(32, 4))
    run_method(model, METHODS["int4"], QuantizeSettings())
    with pytest.raises(GraphError, match="quantized already, by MatMulNBits"):
        run_method(model, METHODS["int8"], QuantizeSettings())


def test_excluding_a_node_that_is_not_there_names_what_is_near() -> None:
    model = parse("g (float[2,8] x) => (float[2,4] y) { y = MatMul(x, w) }", w=weights(8, 4))
    next(iter(model.graph)).name = "node_linear_20"
    check_excluded([model], QuantizeSettings(exclude=("node_linear_20",)))
    with pytest.raises(RecipeError, match="near it are node_linear_20"):
        check_excluded([model], QuantizeSettings(exclude=("node_linear_21",)))
    with pytest.raises(RecipeError, match="no graph has such a node"):
        check_excluded([model], QuantizeSettings(exclude=("?",)))

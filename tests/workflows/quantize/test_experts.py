"""Experts in blocks: QMoE's values are those of the integers that are stored, and MoE's within their rounding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.workflows.optimize.making import operators, parse, values, weights
from workflows.builder.stages import graph_facts
from workflows.graph.load import load_graph
from workflows.quantize import METHODS, run_method
from workflows.quantize.block_quantization import dequantize_rows
from workflows.quantize.experts import float_experts
from workflows.quantize.grids import BlockFormat
from workflows.quantize.rounding_error import rounding_errors
from workflows.recipe import QuantizeSettings

COUNT, CHOSEN, ROWS = 5, 2, 7
_MOE = {
    "k": CHOSEN, "activation_type": "swiglu", "swiglu_fusion": 1, "activation_alpha": 1.0, "activation_beta": 0.0,
    "normalize_routing_weights": 0,
}  # fmt: skip


def model_of(hidden: int, inner: int, biased: bool = False) -> tuple[ir.Model, dict[str, np.ndarray]]:
    """A router and experts over rows that a node makes; y is guarded as export guards it."""
    held = {
        "w1": weights(COUNT, 2 * inner, hidden), "w2": weights(COUNT, hidden, inner, seed=1),
        "router": weights(hidden, COUNT, seed=2), "two": np.array([2], np.float32), "none": np.array([-1], np.float32),
        "k": np.array([CHOSEN]),
    }  # fmt: skip
    if biased:
        held |= {"b1": weights(COUNT, 2 * inner, seed=3), "b2": weights(COUNT, hidden, seed=4)}
    inputs = ["h", "scores", "w1", "b1" if biased else "", "w2", *(["b2"] if biased else [])]
    nodes = [
        helper.make_node("Mul", ["x", "two"], ["h"]),
        helper.make_node("MatMul", ["h", "router"], ["scores"], "gate"),
        helper.make_node("TopK", ["scores", "k"], ["best", "places"]),
        helper.make_node("MoE", inputs, ["mixed"], "experts", domain="com.microsoft", **_MOE),
        helper.make_node("Mul", ["mixed", "two"], ["scaled"]),
        helper.make_node("Less", ["none", "two"], ["always"]),
        helper.make_node("Where", ["always", "scaled", "h"], ["y"]),
    ]
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [ROWS, hidden])] for name in ("x", "y")]
    tensors = [numpy_helper.from_array(array, name) for name, array in held.items()]
    graph = helper.make_graph(nodes, "g", *ends, tensors)
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return ir.from_proto(helper.make_model(graph, opset_imports=imports, ir_version=10)), held


def expected(x: np.ndarray, held: dict[str, np.ndarray], first: np.ndarray, second: np.ndarray) -> np.ndarray:
    rows = 2 * x.astype(np.float64)
    result = np.zeros_like(rows)
    for index, row in enumerate(rows):
        scores = row @ held["router"]
        shares = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
        for expert in np.argsort(-scores)[:CHOSEN]:
            gate, up = (first[expert] @ row + held.get("b1", np.zeros((COUNT, 1)))[expert]).reshape(-1, 2).T
            through = second[expert] @ (gate / (1 + np.exp(-gate)) * up) + held.get("b2", np.zeros((COUNT, 1)))[expert]
            result[index] += shares[expert] * through
    return 2 * result


def near(got: np.ndarray, truth: np.ndarray, share: float = 3e-6) -> None:
    np.testing.assert_allclose(got, truth, rtol=0, atol=share * np.abs(truth).max())


def stored(model: ir.Model, weight: str, inner: int, how: BlockFormat) -> np.ndarray:
    """[E,N,K] that the graph's integers stand for."""
    parts = [model.graph.initializers.get(f"{weight}.int{how.bits}{end}") for end in ("", ".scales", ".zeros")]
    packed, scales, zeros = (part and part.const_value.numpy() for part in parts)
    return np.stack(
        [
            dequantize_rows(
                packed[i].reshape(*scales[i].shape, -1), scales[i], None if zeros is None else zeros[i], inner, how
            )
            for i in range(COUNT)
        ]
    )


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize(("hidden", "inner", "block"), [(64, 96, 32), (48, 80, 16), (128, 64, 64)])
def test_experts_give_what_their_integers_say(
    hidden: int, inner: int, block: int, symmetric: bool, biased: bool
) -> None:
    """The largest block that divides the inputs of both products; in 4 bits, which onnxruntime computes in float32."""
    model, held = model_of(hidden, inner, biased)
    x = weights(ROWS, hidden, seed=9)
    before = values(model, {"x": x})[0]
    near(before, expected(x, held, held["w1"], held["w2"]))
    report = run_method(model, METHODS["int4"], QuantizeSettings(block_size=64, symmetric=symmetric, accuracy_level=1))
    assert operators(model)["QMoE"] == 1 and not {"MoE", "MatMulNBits"} & {*operators(model)}
    assert {refusal.node: refusal.reason for refusal in report.refused} == {
        "gate": "it selects experts, which rounding would tip"
    }
    how = BlockFormat(4, block, symmetric)
    first, second = stored(model, "w1", hidden, how), stored(model, "w2", inner, how)
    (got,) = values(model, {"x": x})
    near(got, expected(x, held, first, second))
    assert 0 < np.abs(first - held["w1"]).max() < 0.25 * np.abs(held["w1"]).max()


def test_8_bits_are_nearer_than_4() -> None:
    off = {}
    for bits in (4, 8):
        model, held = model_of(64, 96)
        x = weights(ROWS, 64, seed=9)
        run_method(model, METHODS[f"int{bits}"], QuantizeSettings())
        truth = expected(x, held, held["w1"], held["w2"])
        off[bits] = np.abs(values(model, {"x": x})[0] - truth).max() / np.abs(truth).max()
    assert off[8] < 0.03 < off[4] < 0.3


@pytest.mark.parametrize(("hidden", "inner"), [(64, 90), (36, 64)])
def test_sizes_that_no_block_divides_stay(hidden: int, inner: int) -> None:
    model, _ = model_of(hidden, inner)
    report = run_method(model, METHODS["int4"], QuantizeSettings())
    assert operators(model)["MoE"] == 1
    reasons = {refusal.node: refusal.reason for refusal in report.refused}
    assert reasons["experts"] == f"experts of {hidden} and {inner} inputs are no whole blocks of 16"
    size = f"{4 * COUNT * 3 * inner * hidden / 1e6:,.1f} MB"
    assert float_experts("decoder", model.graph, [report]) == (
        f"The experts of decoder stay in float32, {size}: {reasons['experts']}."
    )


def test_experts_that_are_quantized_or_gathered_are_told_apart() -> None:
    model, _ = model_of(64, 96)
    assert not float_experts("decoder", model.graph, [])
    report = run_method(model, METHODS["int4"], QuantizeSettings())
    assert not float_experts("decoder", model.graph, [report])
    gathering = parse(
        "g (int64[2] i, float[2,1,400] x) => (y) { e = Gather(w, i) y = MatMul(x, e) }", w=weights(5, 400, 50)
    )
    found = float_experts("decoder", gathering.graph, [report])
    assert found == (
        "The experts of decoder stay in float32, 0.4 MB: "
        "int4 quantizes no experts whose weights are gathered for each token."
    )


def test_excluded_experts_stay() -> None:
    model, _ = model_of(64, 96)
    report = run_method(model, METHODS["int4"], QuantizeSettings(exclude=("experts",)))
    assert operators(model)["MoE"] == 1
    assert [refusal.reason for refusal in report.refused if refusal.node == "experts"] == ["the recipe excludes it"]


def test_half_precision_stores_experts_in_16_bits_and_computes_in_32() -> None:
    """What guards the rows from onnxruntime's kernel reads the very value that the kernel reads."""
    model, held = model_of(64, 520)  # more numbers than the constants that are clamped
    x = weights(ROWS, 64, seed=9)
    run_method(model, METHODS["fp16"], QuantizeSettings())
    (moe,) = (node for node in model.graph if node.op_type == "MoE")
    (where,) = (node for node in model.graph if node.op_type == "Where")
    assert moe.inputs[0] is where.inputs[2] and moe.inputs[0].dtype == ir.DataType.FLOAT
    halves = [np.asarray(held[name].astype(np.float16), np.float64) for name in ("w1", "w2")]
    (got,) = values(model, {"x": x})
    near(got, expected(x, held, *halves), 0.01)
    stored = {str(name): value.dtype for name, value in model.graph.initializers.items()}
    assert stored["w1.float16"] == ir.DataType.FLOAT16 and "w1" not in stored


@pytest.mark.parametrize("bits", [4, 8])
def test_the_rounding_that_the_graph_shows_is_that_of_the_weights(bits: int, tmp_path: Path) -> None:
    model, held = model_of(64, 96)
    run_method(model, METHODS[f"int{bits}"], QuantizeSettings())
    ir.save(model, tmp_path / "g.onnx")
    (found,) = rounding_errors(load_graph(tmp_path / "g.onnx")).nodes
    how = BlockFormat(bits, 32, False)
    off = [
        np.linalg.norm(stored(model, name, inner, how) - held[name]) / np.linalg.norm(held[name])
        for name, inner in (("w1", 64), ("w2", 96))
    ]
    assert (found.node, found.op, found.bits) == ("experts", "QMoE", bits)
    assert found.error == pytest.approx(max(off), rel=0.15)


@pytest.mark.parametrize("quantized", [False, True])
def test_a_token_reads_the_experts_that_it_selects(quantized: bool) -> None:
    model, held = model_of(64, 96)
    if quantized:
        run_method(model, METHODS["int8"], QuantizeSettings(symmetric=True))
    facts = graph_facts(model)
    experts = sum(held[name].size for name in ("w1", "w2")) * (1 + 4 / 32 if quantized else 4)
    assert facts["bytes"] - facts["step_bytes"] == experts * (COUNT - CHOSEN) / COUNT

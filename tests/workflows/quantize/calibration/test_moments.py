"""Second moments: of each weight, over all runs and all graphs that it is used in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir

from tests.workflows.optimize.making import parse, weights
from workflows.graph.weights import load_saved_graph, save_graphs
from workflows.optimize.graph_checks import infer_shapes
from workflows.quantize import METHODS, run_method
from workflows.quantize.block_quantization import dequantize_rows
from workflows.quantize.calibration.moments import MomentSum, SecondMoments, round_products, values_by_name
from workflows.quantize.calibration.ranges import WHOLE
from workflows.quantize.compensated_rounding import CompensatedRounding
from workflows.quantize.grids import BlockFormat
from workflows.quantize.tensor_cache import TensorCache
from workflows.quantize.weight_only import WeightOnly
from workflows.recipe import QuantizeSettings

COMPENSATED = QuantizeSettings(symmetric=True, rounding="compensated", block_size=64)
HOW = BlockFormat(4, 32, True)  # what blocks of 64 are of 300 inputs: none divides it, so that a part is padded
TEXT = """g (float[M,300] x) => (float[M,8] y, float[M,40] z) {
    h = MatMul(x, a)
    y = MatMul(h, b)
    z = MatMul(x, c)
}"""


def graphs(folder: Path) -> dict[str, ir.Model]:
    """Two components over the same weights, as prefill and decode are."""
    model = parse(TEXT, a=weights(300, 40), b=weights(40, 8, seed=1), c=weights(300, 40, seed=2))
    save_graphs({"g.onnx": model}, folder)
    return {name: load_saved_graph(folder / "g.onnx") for name in ("prefill", "decode")}


def moments_of(model: ir.Model) -> SecondMoments:
    return SecondMoments({"decoder": METHODS["int4"].formats(model, COMPENSATED)})  # type: ignore[attr-defined]


def test_a_sum_is_of_all_runs_and_is_forgotten_when_it_was_used() -> None:
    x = weights(4000, 40, seed=3) * np.linspace(1, 3, 40, dtype=np.float32)
    moments = MomentSum()
    for part in (x[None, :5], x[5:9].reshape(2, 2, 40), x[9:]):
        moments.add(part)
    assert moments.total is not None and moments.rows == len(x)
    np.testing.assert_allclose(moments.total, x.T @ x, rtol=1e-3, atol=0.5)
    feedback = moments.feedback()
    assert feedback is not None and moments.total is None and moments.feedback() is None
    spread = feedback.losses / np.diag(x.T @ x)
    assert 0.9 < spread.min() <= spread.max() < 1.1  # inputs that hardly depend on each other


def test_weights_that_read_one_value_are_rounded_together_and_others_by_search(tmp_path: Path) -> None:
    model = graphs(tmp_path)["prefill"]
    infer_shapes(model)
    moments = moments_of(model)
    assert moments.names == {"decoder": ["x", "h"]}
    x = weights(400, 6, seed=5) @ weights(6, 300, seed=6) + 0.1 * weights(400, 300, seed=7)
    a, c = (model.graph.initializers[name].const_value.numpy().copy() for name in "ac")
    moments.observe("decoder", {WHOLE % 0: x, WHOLE % 1: np.zeros((400, 40), np.float32)})
    rounding = CompensatedRounding(TensorCache(tmp_path / "parts"))
    moments.round(rounding)
    assert len(rounding) == 2  # b was given zeros alone
    report = run_method(model, WeightOnly(4, rounding=rounding), COMPENSATED)
    assert [one.reason for one in report.refused] == ["calibration fed it nothing: rounded by search"]
    plain = graphs(tmp_path)["decode"]
    run_method(plain, METHODS["int4"], COMPENSATED.model_copy(update={"rounding": "search"}))
    for name, matrix in (("a", a), ("c", c)):
        lost = []
        for made in (model, plain):
            q, scales = (made.graph.initializers[f"{name}.int4{end}"].const_value.numpy() for end in ("", ".scales"))
            lost.append(((x @ (dequantize_rows(q, scales, None, 300, HOW).T - matrix)) ** 2).mean())
        assert lost[0] < 0.4 * lost[1]


def test_what_a_weight_became_is_what_the_graph_has(tmp_path: Path) -> None:
    model = graphs(tmp_path)["prefill"]
    infer_shapes(model)
    moments = MomentSum()
    moments.add(weights(400, 300, seed=5))
    rounding = CompensatedRounding(TensorCache(tmp_path / "parts"))
    products = METHODS["int4"].formats(model, COMPENSATED)  # type: ignore[attr-defined]
    values = round_products(values_by_name(products)["x"], moments, rounding)
    assert set(values) == {"a", "c"} and values["c"].shape == (300, 40)
    run_method(model, WeightOnly(4, rounding=rounding), COMPENSATED)
    q, scales = (model.graph.initializers[f"c.int4{end}"].const_value.numpy() for end in ("", ".scales"))
    np.testing.assert_array_equal(dequantize_rows(q, scales, None, 300, HOW).T, values["c"])


def test_without_moments_nothing_is_done_under_its_name(tmp_path: Path) -> None:
    report = run_method(graphs(tmp_path)["decode"], METHODS["int4"], COMPENSATED)
    assert not report.modified and "calibration" in report.refused[0].reason

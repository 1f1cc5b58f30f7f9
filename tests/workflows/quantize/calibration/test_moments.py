"""Second moments: of each weight, over all runs and all graphs that it is used in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir

from tests.workflows.optimize.making import parse, weights
from workflows.graph.weights import load_saved_graph, save_graphs
from workflows.quantize import METHODS, run_method
from workflows.quantize.block_quantization import dequantize_rows
from workflows.quantize.calibration.moments import SecondMoments
from workflows.quantize.calibration.ranges import WHOLE
from workflows.quantize.error_compensation import GROUP, second_moments, shrink_moments
from workflows.quantize.grids import BlockFormat
from workflows.quantize.weight_only import WeightOnly
from workflows.recipe import QuantizeSettings

COMPENSATED = QuantizeSettings(symmetric=True, rounding="compensated", block_size=64)
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


def test_sums_are_of_all_runs_and_weights_that_are_fed_alike_share_them(tmp_path: Path) -> None:
    models = graphs(tmp_path)
    moments = SecondMoments(models, dict.fromkeys(models, COMPENSATED))
    assert moments.names == {"prefill": ["x", "h"], "decode": ["x", "h"]}
    x, h = weights(7, 300, seed=3), weights(7, 40, seed=4)
    moments.observe("prefill", {WHOLE % 0: x[None, :5], WHOLE % 1: h[None, :5]})
    moments.observe("decode", {WHOLE % 0: x[None, 5:], WHOLE % 1: h[None, 5:]})
    a, b, c = (models["decode"].graph.initializers[name].const_value for name in "abc")
    for weight, fed in ((a, x), (c, x), (b, h)):  # as far as seven rows can tell
        np.testing.assert_allclose(
            moments.of(weight), shrink_moments(second_moments(fed), *fed.shape), rtol=1e-4, atol=1e-5
        )
    first, last = second_moments(x)
    np.testing.assert_allclose(first, x[:, :GROUP].T @ x[:, :GROUP], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(last[:44, :44], x[:, GROUP:].T @ x[:, GROUP:], rtol=1e-4, atol=1e-5)
    assert not last[44:].any() and not last[:, 44:].any()


def test_the_method_rounds_by_them_and_tells_of_weights_that_it_has_none_of(tmp_path: Path) -> None:
    model = graphs(tmp_path)["prefill"]
    moments = SecondMoments({"decoder": model}, {"decoder": COMPENSATED})
    x = weights(400, 6, seed=5) @ weights(6, 300, seed=6) + 0.1 * weights(400, 300, seed=7)
    c = model.graph.initializers["c"].const_value.numpy().copy()
    moments.observe("decoder", {WHOLE % 0: x, WHOLE % 1: np.zeros((400, 40), np.float32)})
    report = run_method(model, WeightOnly(4, moments=moments.of), COMPENSATED)
    assert report.modified and not report.refused
    found = [model.graph.initializers[f"c.int4{end}"].const_value.numpy() for end in ("", ".scales")]
    plain = graphs(tmp_path)["decode"]
    report = run_method(plain, WeightOnly(4, moments=lambda weight: None), COMPENSATED)
    assert {one.reason for one in report.refused} == {"calibration fed it nothing: rounded by search"}
    nearest = [plain.graph.initializers[f"c.int4{end}"].const_value.numpy() for end in ("", ".scales")]
    how = BlockFormat(4, 64, True)
    lost = [((x @ (dequantize_rows(q, s, None, 300, how).T - c)) ** 2).mean() for q, s in (found, nearest)]
    assert lost[0] < 0.5 * lost[1]


def test_without_moments_nothing_is_done_under_its_name(tmp_path: Path) -> None:
    report = run_method(graphs(tmp_path)["decode"], METHODS["int4"], COMPENSATED)
    assert not report.modified and "calibration" in report.refused[0].reason

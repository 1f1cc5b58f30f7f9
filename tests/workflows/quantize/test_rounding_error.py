"""The expected rounding of weights, held against what rounding them really did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from workflows.common.errors import Cancelled
from workflows.graph.load import load_graph
from workflows.quantize.block_quantization import dequantize_rows, quantize_rows
from workflows.quantize.grids import BlockFormat
from workflows.quantize.rounding_error import rounding_errors

WEIGHT = np.random.default_rng(0).standard_normal((48, 96)).astype(np.float32)


def saved(folder: Path, nodes: list[onnx.NodeProto], **weights: np.ndarray) -> Path:
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, None)] for name in ("x", "y")]
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "g", *ends, tensors)
    onnx.save(helper.make_model(graph), folder / "g.onnx", save_as_external_data=True, location="w", size_threshold=64)
    return folder / "g.onnx"


def off(values: np.ndarray, truth: np.ndarray = WEIGHT) -> float:
    return float(np.linalg.norm(values - truth) / np.linalg.norm(truth))


@pytest.mark.parametrize("bits", [4, 8])
def test_blocks_are_off_by_about_the_stated_error(tmp_path: Path, bits: int) -> None:
    how = BlockFormat(bits, 32, False)
    q, scales, zeros = quantize_rows(WEIGHT, how)
    node = helper.make_node("MatMulNBits", ["x", "q", "s", "z"], ["y"], "product", domain="com.microsoft",
                            K=96, N=48, bits=bits, block_size=32)  # fmt: skip
    (found,) = rounding_errors(load_graph(saved(tmp_path, [node], q=q, s=scales, z=zeros))).nodes
    assert (found.node, found.op, found.bits) == ("product", "MatMulNBits", bits)
    assert found.error == pytest.approx(off(dequantize_rows(q, scales, zeros, 96, how)), rel=0.15)


@pytest.mark.parametrize("channels", [True, False])
def test_a_grid_is_off_by_about_the_stated_error(tmp_path: Path, channels: bool) -> None:
    wide = WEIGHT * np.linspace(1, 20, 48, dtype=np.float32)[:, None]
    scale = (np.abs(wide).max(axis=1) if channels else np.abs(wide).max()) / np.float32(127)
    step = scale[:, None] if channels else scale
    integers = np.clip(np.round(wide / step), -128, 127).astype(np.int8)
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "s"], ["w"], "grid", axis=0),
        helper.make_node("MatMul", ["x", "w"], ["y"], "product"),
    ]
    (found,) = rounding_errors(load_graph(saved(tmp_path, nodes, q=integers, s=np.asarray(scale, np.float32)))).nodes
    assert (found.node, found.bits) == ("grid", 8)
    assert found.error == pytest.approx(off(integers * step, wide), rel=0.15)


def test_the_coarsest_is_first_and_floats_have_none(tmp_path: Path) -> None:
    nodes, weights = [helper.make_node("MatMul", ["x", "f"], ["a"], "plain")], {"f": WEIGHT}
    for name, size in (("fine", 16), ("coarse", 96)):
        how = BlockFormat(4, size, False)
        arrays = dict(zip((f"{name}q", f"{name}s", f"{name}z"), quantize_rows(WEIGHT, how), strict=True))
        weights |= arrays
        facts = {"domain": "com.microsoft", "K": 96, "N": 48, "bits": 4, "block_size": size}
        nodes.append(helper.make_node("MatMulNBits", ["a", *arrays], ["y" if name == "coarse" else "b"], name, **facts))
    file = load_graph(saved(tmp_path, nodes, **weights))
    assert [one.node for one in rounding_errors(file).nodes] == ["coarse", "fine"]
    with pytest.raises(Cancelled):
        rounding_errors(file, cancelled=lambda: True)

"""Estimates the rounding error of each quantized weight from the graph only.

    MatMulNBits, GatherBlockQuantized, DequantizeLinear ──scales──▶ Δ²/12 of an element ──÷ mean w²──▶ relative error

A value rounded to a grid of step Δ has the mean square error Δ²/12 (Widrow, Kollár: Quantization Noise, 2008). The
estimate needs no original weights and shows where a grid is too coarse for its block; `joinery eval` measures the
effect on the logits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from onnx.external_data_helper import load_external_data_for_tensor

from workflows.common.errors import Cancelled
from workflows.graph.load import GraphFile
from workflows.graph.subgraphs import all_graphs
from workflows.quantize.block_quantization import dequantize_rows
from workflows.quantize.grids import BlockFormat
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.rounding import NodeRounding, RoundingReport

_PLACES = {"MatMulNBits": (1, 2, 3), "GatherBlockQuantized": (0, 2, 3)}  # of q, scales and zero points
Array = NDArray[np.float32]
Reader = Callable[[str], NDArray[np.generic]]  # of an initializer by its name


def rounding_errors(
    file: GraphFile, report: Callable[[Event], None] = lambda _: None, cancelled: Callable[[], bool] = lambda: False
) -> RoundingReport:
    """Lists each node that reads a quantized weight, the largest error first. Raises Cancelled on request."""
    weights = {one.name: one for graph in all_graphs(file.proto.graph) for one in graph.initializer}
    nodes = [node for graph in all_graphs(file.proto.graph) for node in graph.node if _is_quantized(node, weights)]
    errors: list[NodeRounding] = []
    for done, node in enumerate(nodes):
        if cancelled():
            raise Cancelled("The reading of the weights was cancelled.")
        report(ProgressEvent(stage="rounding", message=node.name, done=done, total=len(nodes), unit="nodes"))
        bits, step, values = _weight(node, partial(_read, file, weights))
        power = float(np.mean(np.square(values, dtype=np.float64)))
        noise = float(np.mean(np.square(step, dtype=np.float64))) / 12
        error = float(np.sqrt(noise / power)) if power else 0.0
        errors.append(NodeRounding(node.name or node.output[0], node.op_type, bits, error))
    return RoundingReport(sorted(errors, key=lambda one: -one.error))


def _is_quantized(node: onnx.NodeProto, weights: dict[str, onnx.TensorProto]) -> bool:
    """Whether its weight is stored in integers, with constant scales."""
    if node.op_type == "DequantizeLinear":
        return len(weights.get(node.input[0], onnx.TensorProto()).dims) > 1 and node.input[1] in weights
    return node.op_type in _PLACES and all(node.input[place] in weights for place in _PLACES[node.op_type][:2])


def _read(file: GraphFile, weights: dict[str, onnx.TensorProto], name: str) -> NDArray[np.generic]:
    """Reads an initializer, inline or from the weight file."""
    tensor = onnx.TensorProto()
    tensor.CopyFrom(weights[name])
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        load_external_data_for_tensor(tensor, str(file.folder))
    array: NDArray[np.generic] = numpy_helper.to_array(tensor)
    return array


def _weight(node: onnx.NodeProto, read: Reader) -> tuple[int, Array, Array]:
    """Returns (bits, the step of each block or channel by its share of the weight, the weight's values)."""
    if node.op_type == "DequantizeLinear":
        return _of_grid(node, read)
    facts = {one.name: one.i for one in node.attribute}
    q, scales, zeros = (_named(node, place) for place in _PLACES[node.op_type])
    how = BlockFormat(facts.get("bits", 4), facts.get("block_size", 128), False)
    packed = read(q).view(np.uint8)
    steps = read(scales).astype(np.float32).reshape(len(packed), -1)
    inner = facts.get("K", steps.shape[1] * how.size)
    middle = read(zeros).view(np.uint8).reshape(len(packed), -1) if zeros else None
    blocks = packed.reshape(len(packed), steps.shape[1], -1)
    return how.bits, steps, dequantize_rows(blocks, steps, middle, inner, how)


def _of_grid(node: onnx.NodeProto, read: Reader) -> tuple[int, Array, Array]:
    """Returns one step, or one for each channel."""
    integers, step = read(node.input[0]), read(node.input[1]).astype(np.float32)
    zero = read(node.input[2]).astype(np.float32) if _named(node, 2) else np.zeros(1, np.float32)
    axis = next((one.i for one in node.attribute if one.name == "axis"), 1)
    shape = [1] * integers.ndim
    if step.ndim == 1 and step.size > 1:
        shape[axis] = step.size
    bits = 8 * integers.dtype.itemsize
    values = (integers.astype(np.float32) - zero.reshape(shape if zero.size > 1 else 1)) * step.reshape(shape)
    return bits, step, values


def _named(node: onnx.NodeProto, place: int) -> str:
    return node.input[place] if place < len(node.input) else ""

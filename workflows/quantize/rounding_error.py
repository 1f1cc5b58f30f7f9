"""Estimates the rounding error of each quantized weight from the graph only.

    MatMulNBits, QMoE, DequantizeLinear … ──scales──▶ Δ²/12 of an element ──÷ mean w²──▶ relative error

A value rounded to a grid of step Δ has the mean square error Δ²/12 (Widrow, Kollár: Quantization Noise, 2008). The
estimate needs no original weights and shows where a grid is too coarse for its block; `joinery eval` measures the
effect on the logits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

# Of q, scales and zero points; experts have two weights.
_PLACES = {
    "MatMulNBits": ((1, 2, 3),),
    "GatherBlockQuantized": ((0, 2, 3),),
    "QMoE": ((2, 3, 11), (5, 6, 12)),
}
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
        found = [*_weights(node, partial(_read, file, weights))]
        bits, error = found[0][0], max(_error(step, values) for _, step, values in found)
        errors.append(NodeRounding(node.name or node.output[0], node.op_type, bits, error))
    return RoundingReport(sorted(errors, key=lambda one: -one.error))


def _error(step: Array, values: Array) -> float:
    power = float(np.mean(np.square(values, dtype=np.float64)))
    noise = float(np.mean(np.square(step, dtype=np.float64))) / 12
    return float(np.sqrt(noise / power)) if power else 0.0


def _is_quantized(node: onnx.NodeProto, weights: dict[str, onnx.TensorProto]) -> bool:
    """Whether its weight is stored in integers, with constant scales."""
    if node.op_type == "DequantizeLinear":
        return len(weights.get(node.input[0], onnx.TensorProto()).dims) > 1 and node.input[1] in weights
    places = [place for q, scales, _ in _PLACES.get(node.op_type, ()) for place in (q, scales)]
    return bool(places) and all(_named(node, place) in weights for place in places)


def _read(file: GraphFile, weights: dict[str, onnx.TensorProto], name: str) -> NDArray[np.generic]:
    """Reads an initializer, inline or from the weight file."""
    tensor = onnx.TensorProto()
    tensor.CopyFrom(weights[name])
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        load_external_data_for_tensor(tensor, str(file.folder))
    array: NDArray[np.generic] = numpy_helper.to_array(tensor)
    return array


def _weights(node: onnx.NodeProto, read: Reader) -> Iterator[tuple[int, Array, Array]]:
    """Yields (bits, the step of each block or channel by its share of the weight, the weight's values)."""
    if node.op_type == "DequantizeLinear":
        yield _of_grid(node, read)
        return
    facts = {one.name: one.i for one in node.attribute}
    how = BlockFormat(facts.get("expert_weight_bits", facts.get("bits", 4)), facts.get("block_size", 128), False)
    for q, scales, zeros in (map(partial(_named, node), places) for places in _PLACES[node.op_type]):
        packed = read(q).view(np.uint8)
        rows = int(np.prod(packed.shape[:-1])) if node.op_type == "QMoE" else len(packed)
        steps = read(scales).astype(np.float32).reshape(rows, -1)
        middle = read(zeros).view(np.uint8).reshape(rows, -1) if zeros else None
        inner = facts.get("K", steps.shape[1] * how.size)
        yield how.bits, steps, dequantize_rows(packed.reshape(*steps.shape, -1), steps, middle, inner, how)


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

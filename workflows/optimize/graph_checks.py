"""The conditions that hold for a graph after every pass.

`remove_unused` removes dead initializers and unused opset imports. `find_fault` checks that inputs and outputs keep
their names, types and symbolic axes, and that onnx's checker accepts the graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import onnx
import onnx_ir as ir
import onnx_ir.passes.common as common

from workflows.optimize.queries import required_inputs

# onnxruntime registered it in the default domain, where onnx's checker knows nothing of it (facts of the field)
UNKNOWN_TO_CHECKER = ("SimplifiedLayerNormalization",)
CONTRIB = "com.microsoft"

Interface = dict[str, tuple[object, ...]]


def graph_interface(model: ir.Model, but: tuple[str, ...] = ()) -> Interface:
    """Maps the names of inputs and outputs to side, type and axes. but: outputs whose axes do not count.

    An input with a default is not part of the interface, because callers need not feed it.
    """
    graph = model.graph
    ends: Interface = {}
    for side, values in (("input", required_inputs(graph)), ("output", list(graph.outputs))):
        for value in values:
            axes = None if value.name in but else str(value.shape)
            ends[str(value.name)] = (side, value.dtype, axes)
    return ends


def infer_shapes(model: ir.Model) -> None:
    """Infers the shapes and types that the exporter omitted, for operators that onnx knows."""
    for value in model.graph.initializers.values():
        tensor = value.const_value
        if tensor is not None and (value.shape is None or value.dtype is None):
            value.shape, value.type = ir.Shape(tensor.shape), ir.TensorType(tensor.dtype)
    unknown = any(value.shape is None for node in model.graph if node.domain == "" for value in node.outputs)
    if unknown:
        with _known_to_checker(model):
            common.ShapeInferencePass()(model)


def remove_unused(model: ir.Model) -> bool:
    """Removes dead initializers and unused opset imports; returns whether there were any."""
    dead = [
        name
        for name, value in model.graph.initializers.items()
        if not (value.uses() or value.is_graph_output() or value.is_graph_input())
    ]
    for name in dead:
        del model.graph.initializers[name]
    unused = unused_domains(model)
    for domain in unused:
        del model.opset_imports[domain]
    return bool(dead or unused)


def unused_domains(model: ir.Model) -> list[str]:
    """Returns imported domains without nodes or functions; onnx always requires the default one."""
    used = {"", *(domain for domain, *_ in model.functions)}
    for graph in (model.graph, *model.functions.values()):
        used |= {node.domain for node in ir.traversal.RecursiveGraphIterator(graph)}
    return [domain for domain in model.opset_imports if domain not in used]


def find_fault(model: ir.Model, ends: Interface, but: tuple[str, ...] = ()) -> str:
    """Returns the graph's fault as part of a sentence; empty if there is none. ends: the interface before."""
    now = graph_interface(model, but)
    changed = next((name for name in {**ends, **now} if ends.get(name) != now.get(name)), None)
    if changed is not None:
        return f"{changed} was {ends.get(changed)} and is {now.get(changed)}"
    try:
        with _known_to_checker(model):
            common.CheckerPass()(model)
    except (onnx.checker.ValidationError, ir.passes.PassError) as error:
        cause = error.__cause__ or error
        return f"onnx's checker refuses the graph: {' '.join(str(cause).split())[:200]}"
    return ""


def _small_file(value: ir.Value) -> ir.ExternalTensor | None:
    """Returns the initializer's tensor if it is small and in a file; onnx_ir hides larger ones from the checker."""
    tensor = value.const_value
    return tensor if isinstance(tensor, ir.ExternalTensor) and tensor.nbytes <= 1024 else None


@contextmanager
def _known_to_checker(model: ir.Model) -> Iterator[None]:
    """Hides onnxruntime's operators in the default domain, and small tensors in files, from onnx's checker."""
    moved = [n for n in model.graph.all_nodes() if n.domain == "" and n.op_type in UNKNOWN_TO_CHECKER]
    imported = CONTRIB in model.opset_imports
    stored = {
        value: tensor for value in model.graph.initializers.values() if (tensor := _small_file(value)) is not None
    }
    if moved and not imported:
        model.opset_imports[CONTRIB] = 1
    for node in moved:
        node.domain = CONTRIB
    for value, tensor in stored.items():
        value.const_value = ir.tensor(tensor.numpy(), dtype=tensor.dtype, name=tensor.name)
    try:
        yield
    finally:
        for value, tensor in stored.items():
            value.const_value = tensor
        for node in moved:
            node.domain = ""
        if moved and not imported:
            del model.opset_imports[CONTRIB]

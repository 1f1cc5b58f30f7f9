"""Compares `build_requires` of a pipeline file with the graphs.

quantization   integer weights somewhere: initializers of that type, or nodes that unpack them
attention      how many heads the keys have beside the queries, where a node says both
extra_heads    an output that bears their name
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx

from workflows.bundle import Pipeline
from workflows.bundle.outline import Fault
from workflows.bundle.session_options import BuildRequires

_T = onnx.TensorProto
_TYPES = {
    "int4": {_T.INT4, _T.UINT4},
    "int8": {_T.INT8, _T.UINT8},
    "fp8": {_T.FLOAT8E4M3FN, _T.FLOAT8E4M3FNUZ, _T.FLOAT8E5M2, _T.FLOAT8E5M2FNUZ},
}
_BITS = {4: "int4", 8: "int8"}
_DEFAULT_BITS = 4  # of both operators below
_UNPACKING = ("MatMulNBits", "GatherBlockQuantized")  # of bytes that hold several
_INTEGERS = {"awq": "int4", "gptq": "int4"}  # methods, and what the weights are after them
_HEADS = (("num_heads", "kv_num_heads"), ("q_num_heads", "kv_num_heads"))


def requirement_faults(pipeline: Pipeline, graphs: Mapping[str, onnx.ModelProto]) -> Iterator[Fault]:
    """Lists the requirements that the graphs do not meet. graphs: by session; their weights are not needed."""
    integers = {kind for model in graphs.values() for kind in _quantized(model)}
    for name, session in pipeline.pipeline.sessions.items():
        required = session.session_options.build_requires
        if required is None:
            continue
        for key, message in _requirement_fault(required, graphs[name], integers):
            yield Fault(f"pipeline.sessions.{name}.session_options.build_requires.{key}", message)


def weight_precision(graphs: Mapping[str, onnx.ModelProto]) -> str:
    """Returns the recipe's name for the precision of the smallest weights."""
    integers = {kind for model in graphs.values() for kind in _quantized(model)}
    floats = {tensor.data_type for model in graphs.values() for tensor in model.graph.initializer if tensor.dims}
    words: list[str] = [word for word in ("int4", "int8", "fp8") if word in integers]
    words += [word for word, kind in (("fp16", _T.FLOAT16), ("bf16", _T.BFLOAT16)) if kind in floats]
    return next(iter(words), "fp32")


def _requirement_fault(
    required: BuildRequires, model: onnx.ModelProto, integers: set[str]
) -> Iterator[tuple[str, str]]:
    """integers: the types of the weights in all graphs, since a component may have no quantized weight."""
    wanted = _INTEGERS.get(required.quantization, required.quantization)
    if wanted != "none" and wanted not in integers:
        yield "quantization", f"no graph has {wanted} weights"
    if required.attention and (found := _attention(model)) and found != required.attention:
        yield "attention", f"the graph's attention is {found}"
    if required.extra_heads != "none" and not any(required.extra_heads in one.name for one in model.graph.output):
        yield "extra_heads", f"the graph has no output of {required.extra_heads} heads"


def _quantized(model: onnx.ModelProto) -> set[str]:
    """Returns the integer types in which weights are stored."""
    types = {tensor.data_type for tensor in model.graph.initializer}
    found = {name for name, kinds in _TYPES.items() if kinds & types}
    unpacking = [node for node in model.graph.node if node.op_type in _UNPACKING]
    bits = {next((one.i for one in node.attribute if one.name == "bits"), _DEFAULT_BITS) for node in unpacking}
    return found | {_BITS[count] for count in bits if count in _BITS}


def _attention(model: onnx.ModelProto) -> str:
    """Returns mha, mqa or gqa; empty if no node tells."""
    for node in model.graph.node:
        numbers = {attribute.name: attribute.i for attribute in node.attribute}
        for queries, keys in _HEADS:
            if numbers.get(queries) and numbers.get(keys):
                same = numbers[queries] == numbers[keys]
                return "mha" if same else "mqa" if numbers[keys] == 1 else "gqa"
    return ""

"""Finds the nodes for which a provider has no kernel, from its kernel table, without the provider or its device.

    graph, table ──nodes_without_kernel──▶ [node, operator, reason]

onnxruntime assigns a node to a kernel that supports its operator's version in the graph's opset and its tensor types.
Further conditions of a kernel are in the table as its limits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import onnx
from onnx import defs, helper, shape_inference

from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS, Name
from workflows.graph.operator_schemas import canonical_domain, schema_of
from workflows.wire.codec import read
from workflows.wire.reports.preflight import FallbackNode

_FOLDED = ("Constant",)  # onnxruntime makes initializers of them before it asks a provider
_PAST_KEY, _COS_CACHE = 3, 7  # inputs of GroupQueryAttention
_OWN_VERSION = 1  # of onnxruntime's operators, of which onnx has no schema


@dataclass(frozen=True)
class KernelVersion:
    """since: the operator version that it supports. types: constraint → the table's name for a set of types."""

    since: int
    types: dict[str, str]


@dataclass(frozen=True)
class KernelLimits:
    """attributes: name → the supported values; the first is the default. inputs: the minimum and maximum count. single:
    an input and its axis whose size must be 1, and `why` the reason."""

    source: str
    attributes: dict[str, list[float]]
    inputs: tuple[int, int]
    single: tuple[int, int] | None = None
    why: str = ""


@dataclass(frozen=True)
class OperatorKernels:
    """inputs, outputs: the constraint or the type of each, for an operator without an onnx schema."""

    kernels: list[KernelVersion]
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    limits: KernelLimits | None = None


@dataclass(frozen=True)
class KernelTable:
    """A provider's kernels as its file lists them. operators: domain → operator → its kernels."""

    provider: str
    title: str
    source: str
    licence: str
    note: str
    types: dict[str, list[str]]
    operators: dict[str, dict[str, OperatorKernels]]


@cache
def kernel_table(provider: str) -> KernelTable | None:
    """Returns the table of the provider with the short name `provider`, or None."""
    path = files("workflows.runtime.providers") / "kernels" / f"{provider}.json"
    return read(KernelTable, json.loads(path.read_text("utf-8"))) if path.is_file() else None


def nodes_without_kernel(model: onnx.ModelProto, table: KernelTable) -> list[FallbackNode]:
    """Lists the nodes without a kernel in the graph's order, without those of subgraphs. Weights are not needed."""
    opsets = {canonical_domain(entry.domain): entry.version for entry in model.opset_import}
    types = _Types(model, table, opsets)
    fallbacks = []
    for node in model.graph.node:
        why = "" if node.op_type in _FOLDED else _missing_kernel_reason(node, table, opsets, types)
        if why:  # then the CPU provider has to take it
            nowhere = f" The CPU cannot run it either: {misfit}." if (misfit := _cpu_mismatch(node, types)) else ""
            fallbacks.append(FallbackNode(node.name, f"{node.domain}.{node.op_type}".lstrip("."), why + nowhere))
    return fallbacks


def _operator(table: KernelTable, node: onnx.NodeProto) -> OperatorKernels | None:
    return table.operators.get(canonical_domain(node.domain), {}).get(node.op_type)


def _schema(node: onnx.NodeProto, opsets: Mapping[str, int]) -> defs.OpSchema | None:
    """Returns onnx's schema, or None for an operator that only onnxruntime has, which may be in onnx's domain."""
    domain = canonical_domain(node.domain)
    return schema_of(node.op_type, opsets.get(domain, _OWN_VERSION), domain)


def _missing_kernel_reason(node: onnx.NodeProto, table: KernelTable, opsets: Mapping[str, int], types: _Types) -> str:
    """Returns why no kernel takes the node, as a sentence; empty if one does."""
    operator, schema = _operator(table, node), _schema(node, opsets)
    if operator is None:
        return f"{table.title} has no kernel for {node.op_type}."
    since = schema.since_version if schema is not None else _OWN_VERSION
    kernels = [kernel for kernel in operator.kernels if kernel.since == since]
    if not kernels:
        known = ", ".join(map(str, sorted({kernel.since for kernel in operator.kernels})))
        return f"{table.title} has kernels for {node.op_type} of version {known}, and the graph's is of {since}."
    bound = types.of_node(node)
    reasons = [_type_mismatch(bound, kernel, table) for kernel in kernels]
    if all(reasons):
        return f"{table.title}'s kernel for {node.op_type} takes {reasons[0]}."
    lack = _limit_violation(node, operator.limits, types) if operator.limits else ""
    return f"{table.title}'s kernel for {node.op_type} takes {lack}." if lack else ""


def _type_mismatch(bound: Mapping[str, str], kernel: KernelVersion, table: KernelTable) -> str:
    """Returns the type constraint that the node violates, as part of a sentence; an omitted input violates none."""
    for name, allowed in kernel.types.items():
        if name in bound and bound[name] not in table.types[allowed]:
            return f"no {bound[name] or 'unknown type'} as {name}, but {', '.join(table.types[allowed])}"
    return ""


def _cpu_mismatch(node: onnx.NodeProto, types: _Types) -> str:
    """Returns why the CPU provider's kernel refuses the node, as part of a sentence; empty if it does not."""
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    if node.op_type in ("MatMulNBits", "GatherBlockQuantized"):
        return KERNEL_CONSTRAINTS[node.op_type].violation(block_size=attributes.get("block_size", 0))
    if node.op_type != "GroupQueryAttention":
        return ""
    inputs = dict(enumerate(node.input))
    past, cos = ((types.axes.get(inputs.get(index, "")) or [0])[-1] for index in (_PAST_KEY, _COS_CACHE))
    kernel: Name = "GroupQueryAttention with rotary positions" if attributes.get("do_rotary") else "GroupQueryAttention"
    return KERNEL_CONSTRAINTS[kernel].violation(head_size=past, rotary_size=2 * cos)


def _limit_violation(node: onnx.NodeProto, limits: KernelLimits, types: _Types) -> str:
    """Returns which of the kernel's limits the node exceeds, as part of a sentence."""
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    for name, served in limits.attributes.items():
        if attributes.get(name, served[0]) not in served:
            return f"no {name} of {attributes[name]:g}"
    least, most = limits.inputs
    if not least <= (count := len(node.input)) <= most:
        return f"{' to '.join(map(str, dict.fromkeys(limits.inputs)))} inputs, and not {count}"
    if limits.single is not None:
        index, axis = limits.single
        size = types.axes.get(node.input[index], [])[axis : axis + 1]
        if size != [1]:
            return f"one column alone: {limits.why}"
    return ""


class _Types:
    """Element types by value: as the graph notes them or onnx infers them, else from the operators' constraints."""

    def __init__(self, model: onnx.ModelProto, table: KernelTable, opsets: Mapping[str, int]) -> None:
        self._table, self._opsets = table, opsets
        graph = shape_inference.infer_shapes(model).graph
        noted = [*graph.input, *graph.output, *graph.value_info]
        codes = {value.name: value.type.tensor_type.elem_type for value in noted}
        codes |= {tensor.name: tensor.data_type for tensor in graph.initializer}
        self._types = {name: onnx.TensorProto.DataType.Name(code).lower() for name, code in codes.items() if code}
        self.axes = {value.name: [axis.dim_value for axis in value.type.tensor_type.shape.dim] for value in noted}
        for node in graph.node:
            self._follow(node)

    def of_node(self, node: onnx.NodeProto) -> dict[str, str]:
        """Maps each constraint to the node's type for it, empty if unknown."""
        inputs, outputs = self._constraints(node)
        pairs = [*zip(node.input, inputs, strict=False), *zip(node.output, outputs, strict=False)]
        bound = {constraint: "" for name, constraint in pairs if name}
        return bound | {constraint: self._types[name] for name, constraint in reversed(pairs) if name in self._types}

    def _follow(self, node: onnx.NodeProto) -> None:
        """Infers output types that the graph does not note: from the inputs, or from a constraint with one type."""
        bound, (_, outputs), schema = self.of_node(node), self._constraints(node), _schema(node, self._opsets)
        allowed = {one.type_param_str: one.allowed_type_strs for one in schema.type_constraints} if schema else {}
        for name, constraint in zip(node.output, outputs, strict=False):
            own = [constraint] if constraint.islower() else []  # a type, not the name of a constraint
            known = bound.get(constraint) or _single_type(allowed.get(constraint, own))
            if name and known and name not in self._types:
                self._types[name] = known

    def _constraints(self, node: onnx.NodeProto) -> tuple[list[str], list[str]]:
        """Returns the constraint of each input and output; the last one applies to all further ones."""
        operator, schema = _operator(self._table, node), _schema(node, self._opsets)
        if schema is not None:
            ends = [one.type_str for one in schema.inputs], [one.type_str for one in schema.outputs]
        else:
            ends = (operator.inputs, operator.outputs) if operator is not None else ([], [])
        return _repeat_variadic(ends[0], len(node.input)), _repeat_variadic(ends[1], len(node.output))


def _repeat_variadic(constraints: Sequence[str], count: int) -> list[str]:
    return [*constraints, *list(constraints[-1:]) * (count - len(constraints))]


def _single_type(allowed: Sequence[str]) -> str:
    """Returns the only type that a constraint allows (`tensor(int64)`), or the empty string."""
    return allowed[0].removeprefix("tensor(").removesuffix(")") if len(allowed) == 1 else ""

"""Queries on a graph: the producer and the consumers of a value, and its constant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import ml_dtypes
import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

DEFAULT_DOMAINS = ("", "ai.onnx")


def required_inputs(graph: ir.Graph) -> list[ir.Value]:
    """Returns the inputs without a default, which a caller must feed."""
    return [value for value in graph.inputs if not value.is_initializer()]


def producer(value: ir.Value | None, *ops: str, domain: str = "") -> ir.Node | None:
    """Returns the node that produces `value` if it is one of `ops` of `domain`."""
    node = value.producer() if value is not None else None
    return node if node is not None and node.op_type in ops and same_domain(node.domain, domain) else None


def same_domain(one: str, other: str) -> bool:
    """Whether two names denote one domain; the default one has two."""
    return one == other or (one in DEFAULT_DOMAINS and other in DEFAULT_DOMAINS)


def find_nodes(graph: ir.Graph, *ops: str, domain: str = "") -> list[ir.Node]:
    """Returns the graph's nodes with these operators in its order, without those in subgraphs."""
    return [node for node in graph if node.op_type in ops and same_domain(node.domain, domain)]


def consumers(value: ir.Value) -> list[ir.Node]:
    """Returns the nodes that read `value`, each once."""
    return list(dict.fromkeys(use.node for use in value.uses()))


def has_single_use(value: ir.Value) -> bool:
    """Whether exactly one node reads `value`, once, and it is not an output of the graph."""
    return len(value.uses()) == 1 and not value.is_graph_output()


def constant_tensor(value: ir.Value | None) -> ir.TensorProtocol | None:
    """Returns the tensor of an initializer or a Constant node's output; its data is not read."""
    if value is None or value.is_graph_input():
        return None
    if value.const_value is not None:
        return value.const_value
    node = producer(value, "Constant")
    return ir.convenience.get_const_tensor(value) if node is not None else None


def constant_array(value: ir.Value | None, limit: int = 1 << 16) -> NDArray[np.generic] | None:
    """Returns the constant's numbers if there are at most `limit`."""
    tensor = constant_tensor(value)
    return np.asarray(tensor.numpy()) if tensor is not None and tensor.size <= limit else None


def constant_scalar(value: ir.Value | None) -> float | None:
    """Returns the number in a constant of one element."""
    array = constant_array(value, 1)
    if array is None or array.size != 1 or array.dtype.kind not in "fiuV":
        return None
    return float(array.reshape(()).astype(np.float64))


def is_near_scalar(value: ir.Value | None, number: float) -> bool:
    """Whether `value` is a constant of one element near `number`; half precision has three digits."""
    found = constant_scalar(value)
    return found is not None and abs(found - number) <= 1e-3 * abs(number)


def largest_finite(dtype: ir.DataType) -> float:
    """Returns the largest finite number of a floating-point type; its negative is the lowest."""
    return float(ml_dtypes.finfo(dtype.numpy()).max)  # type: ignore[no-untyped-call]


def split_scalar_operand(node: ir.Node) -> tuple[ir.Value, float] | None:
    """Returns (other input, number) of a commutative node with one constant input of one element."""
    for one, other in ((0, 1), (1, 0)):
        number = constant_scalar(node.inputs[one])
        if number is not None and node.inputs[other] is not None:
            return node.inputs[other], number
    return None


def product_factors(value: ir.Value) -> list[ir.Value]:
    """Returns the factors of `value` through products that nothing else reads."""
    node = producer(value, "Mul")
    if node is None:
        return [value]
    found: list[ir.Value] = []
    for part in node.inputs:
        assert part is not None  # Mul has two inputs
        found += product_factors(part) if has_single_use(part) else [part]
    return found


def weight_input(node: ir.Node, index: int = 1) -> ir.Value | None:
    """Returns the input of that index if it is an initializer that no caller can replace."""
    value = node.inputs[index] if index < len(node.inputs) else None
    return value if value is not None and value.is_initializer() and not value.is_graph_input() else None


def dimensions(value: ir.Value | None) -> tuple[int | str | None, ...] | None:
    """Returns the axes of `value`, symbolic ones as names; None if the rank is unknown."""
    if value is None or value.shape is None:
        return None
    return tuple(axis if isinstance(axis, int) else axis.value for axis in value.shape)


def same_shape(one: ir.Value | None, other: ir.Value | None) -> bool:
    """Whether two values have the same known shape."""
    axes = dimensions(one)
    return axes is not None and None not in axes and axes == dimensions(other)


def last_dimension(value: ir.Value | None) -> int | None:
    """Returns the size of the last axis, or None."""
    axes = dimensions(value)
    return axes[-1] if axes and isinstance(axes[-1], int) else None


def is_last_axis(axis: int, value: ir.Value | None) -> bool:
    """Whether `axis` is the last one of `value`."""
    axes = dimensions(value)
    return axis == -1 or (axes is not None and axis == len(axes) - 1)


def uses_through(value: ir.Value, through: Iterable[str]) -> Iterator[tuple[ir.Node, int]]:
    """Returns the uses (node, input index) of `value`, through nodes with these operators."""
    passing, seen, waiting = frozenset(through), {value}, [value]
    while waiting:
        for use in waiting.pop().uses():
            if use.node.op_type not in passing:
                yield use.node, use.idx
                continue
            fresh = [output for output in use.node.outputs if output not in seen]
            seen.update(fresh)
            waiting += fresh

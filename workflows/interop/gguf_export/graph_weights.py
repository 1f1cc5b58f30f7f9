"""Finds the weights of a decoder's graph by transformers' names: each node says of which module it is.

MatMulNBits, MatMul, Gemm   …layers.3.self_attn.q_proj  (packed: q, k and v under each other)
Gather, GatherBlockQuantized   …embed_tokens
norms   …input_layernorm, with what the model adds to its weight
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from workflows.common.errors import BundleError, printable
from workflows.common.tensors import Array
from workflows.graph.scopes import SCOPES_KEY, scope_of_names
from workflows.interop.gguf_export.packing import Integers, unpack_rows

Weight = Callable[[], Array | Integers]
_PACKED = {"self_attn.q_proj": ("q_proj", "k_proj", "v_proj"), "mlp.gate_proj": ("gate_proj", "up_proj")}
_PRODUCTS = ("MatMul", "Gemm", "MatMulNBits")
_NORMS = {"RMSNormalization": 1, "SimplifiedLayerNormalization": 1, "SkipSimplifiedLayerNormalization": 2}
_NORM_BIAS = 3  # the place of a bias that a norm adds
_TABLES = ("Gather", "GatherBlockQuantized")


@dataclass(frozen=True)
class _Product:
    """A product with a weight. outer: rows of it; bias: [outer] or None."""

    node: ir.Node
    outer: int
    load: Weight
    bias: Array | None


class GraphWeights:
    """The weights of one graph, by name as `model.layers.0.mlp.up_proj.weight`; each is read when it is called.

    Raises BundleError for products, tables and norms in a form that is not known.
    """

    def __init__(self, model: ir.Model, widths: Callable[[str], int]) -> None:
        """widths: the rows of a module's weight, by its name."""
        self._widths = widths
        self.weights: dict[str, Weight] = {}
        for node in model.graph:
            scope = scope_of_names(node.metadata_props.get(SCOPES_KEY, "")).replace("/", ".").removeprefix("model.")
            if node.op_type in _PRODUCTS and (product := _product(node)) is not None:
                self._add_product(scope, product)
            elif node.op_type in _TABLES and scope.endswith("embed_tokens"):
                self.weights[f"{scope}.weight"] = _table(node)
            elif node.op_type in _NORMS:
                numbers = _constant(node.inputs[_NORMS[node.op_type]])
                if numbers is None:
                    raise _unknown(node, "has a norm whose weight is computed")
                self.weights[f"{scope}.weight"] = _value(numbers.numpy().astype(np.float32))
        _check_rest(model.graph)

    def _add_product(self, scope: str, product: _Product) -> None:
        start = 0
        for name in self._parts(scope, product):
            count = self._widths(name)
            rows = np.arange(start, start + count)
            start += count
            self.weights[f"{name}.weight"] = _rows(product.load, rows)
            if product.bias is not None:
                self.weights[f"{name}.bias"] = _value(product.bias[rows])
        if start != product.outer:
            raise _unknown(product.node, f"has {product.outer} rows in {printable(scope)}, and the config {start}")

    def _parts(self, scope: str, product: _Product) -> Iterator[str]:
        """The modules whose rows the product holds."""
        found = next((parts for end, parts in _PACKED.items() if scope.endswith(end)), None)
        if found is None or self._widths(scope) == product.outer:
            yield scope
            return
        yield from (f"{scope.rpartition('.')[0]}.{part}" for part in found)


def _check_rest(graph: ir.Graph) -> None:
    """Raises BundleError for numbers of the model that no file would have: those that other nodes read.

    Tables and frequencies of the rotation follow from the config.
    """
    known = {*_PRODUCTS, *_NORMS, *_TABLES, "GroupQueryAttention", "RotaryEmbedding", "Cast"}
    for value in graph.initializers.values():
        tensor = value.const_value
        if tensor is None or tensor.size < 2 or not tensor.dtype.is_floating_point() or "inv_freq" in str(value.name):
            continue
        for use in value.uses():
            added = use.node.op_type == "Add" and any(
                one is not None and (maker := one.producer()) is not None and maker.op_type in _PRODUCTS
                for one in use.node.inputs
            )
            if use.node.op_type not in known and not added:
                raise _unknown(use.node, f"reads {printable(value.name, 60)}, a weight that is not known")


def _product(node: ir.Node) -> _Product | None:
    """The product, None for one of two computed operands."""
    if node.op_type == "MatMulNBits":
        outer, bias = node.attributes.get_int("N"), _bias(node, 5)
        return _Product(node, outer, _integers(node, 1), bias)
    weight = _constant(node.inputs[1])
    if weight is None or len(weight.shape) != 2:
        return None
    turned = node.op_type == "Gemm" and bool(node.attributes.get_int("transB", 0))
    plain = {"alpha": 1.0, "beta": 1.0, "transA": 0}
    if node.op_type == "Gemm" and any(
        name in node.attributes and node.attributes[name].value != value for name, value in plain.items()
    ):
        raise _unknown(node, "scales a product")

    def load() -> Array:
        numbers = weight.numpy()
        return numbers if turned else np.ascontiguousarray(numbers.T)

    return _Product(node, int(weight.shape[0 if turned else 1]), load, _bias(node, 2))


def _bias(node: ir.Node, place: int) -> Array | None:
    """The bias of a product: its own operand, or that of the Add or the norm behind it."""
    own = node.inputs[place] if len(node.inputs) > place else None
    if own is None:
        readers = [use.node for use in node.outputs[0].uses()]
        norm = next((one for one in readers if one.op_type in _NORMS and len(one.inputs) > _NORM_BIAS), None)
        if norm is not None and (fused := _constant(norm.inputs[_NORM_BIAS])) is not None:
            return _flat(fused)
        if len(readers) == 1 and readers[0].op_type == "Add":
            tensors = [tensor for one in readers[0].inputs if (tensor := _constant(one)) is not None]
            return _flat(tensors[0]) if tensors and len(tensors[0].shape) == 1 else None
        if any(one.op_type == "Add" and "minimums" in str(one.name) for one in readers):
            raise _unknown(node, "has minimums of their own")
        return None
    tensor = _constant(own)
    if tensor is None:
        raise _unknown(node, "adds a bias that is computed")
    return _flat(tensor)


def _flat(tensor: ir.TensorProtocol) -> Array:
    numbers: Array = tensor.numpy().astype(np.float32).reshape(-1)
    return numbers


def _integers(node: ir.Node, place: int, width: int = 0) -> Weight:
    """The integers of MatMulNBits, or of GatherBlockQuantized whose rows have `width` numbers."""
    table = node.op_type == "GatherBlockQuantized"
    bits, inner = node.attributes.get_int("bits", 4), width or node.attributes.get_int("K")
    places = (0, 2, 3) if table else (1, 2, 3)
    operands = [node.inputs[one] if len(node.inputs) > one else None for one in places]
    readers = {use.node.op_type for use in node.outputs[0].uses()}
    if "Add" in readers and any(str(out.name).endswith("integers") for out in node.outputs):
        raise _unknown(node, "holds minimums beside its integers, which a GGUF file was built with")
    tensors = [_constant(one) for one in operands]
    packed, scales, zeros = tensors
    if packed is None or scales is None or (operands[2] is not None and zeros is None):
        raise _unknown(node, "has a weight that is computed")

    def load() -> Integers:
        integers = unpack_rows(packed.numpy().view(np.uint8), inner, bits)
        numbers = scales.numpy().astype(np.float32).reshape(len(integers), -1)
        held = None if zeros is None else unpack_rows(
            zeros.numpy().view(np.uint8).reshape(len(integers), -1), numbers.shape[1], bits
        )  # fmt: skip
        return Integers(integers, numbers, held, bits)

    return load


def _table(node: ir.Node) -> Weight:
    if node.op_type == "GatherBlockQuantized":
        packed = _constant(node.inputs[0])
        if packed is None:
            raise _unknown(node, "has a table that is computed")
        bits = node.attributes.get_int("bits", 4)
        return _integers(node, 0, int(packed.shape[1]) * 8 // bits)
    table = _constant(node.inputs[0])
    if table is None:
        raise _unknown(node, "has a table that is computed")
    return lambda: np.asarray(table.numpy()).astype(np.float32, copy=False)


def _constant(value: ir.Value | None) -> ir.TensorProtocol | None:
    """The initializer that a value is, or that a Cast makes it of."""
    if value is not None and value.const_value is None:
        cast = value.producer()
        if cast is not None and cast.op_type == "Cast":
            return _constant(cast.inputs[0])
    return None if value is None else value.const_value


def _rows(load: Weight, rows: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Weight:
    def part() -> Array | Integers:
        whole = load()
        return whole.rows(rows) if isinstance(whole, Integers) else whole[rows]

    return part


def _value(numbers: Array) -> Weight:
    return lambda: numbers


def _unknown(node: ir.Node, what: str) -> BundleError:
    return BundleError(
        f"The bundle cannot be written as GGUF: its node {printable(node.name, 80)} ({node.op_type}) {what}, for which "
        "GGUF has no form."
    )

"""The units of a search (each weight with all nodes that use it), their precision levels, and the recipe of a mix.

component → graph ──products, tables of tokens──▶ SearchUnit ──Mix: unit → level──▶ precision, quantize.nodes, exclude
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import onnx_ir as ir

from workflows.common.errors import RecipeError
from workflows.graph.weights import Key, large_initializers, tensor_key
from workflows.quantize.grids import BlockFormat
from workflows.quantize.linear_layers import find_linears, find_tables
from workflows.recipe import QuantizeSettings
from workflows.recipe.schema import BlockSize, NodePrecision, Precision

LevelKind = Literal["int4", "int8", "int8-dynamic", "fp16", "fp32"]
_BITS = {"int4": 4, "int8": 8}
SIZES: tuple[BlockSize, ...] = (128, 64, 32, 16)


@dataclass(frozen=True)
class PrecisionLevel:
    """A method of quantize.nodes, or fp32: the weight as it is. block: of int4 and int8, else 32."""

    kind: LevelKind
    block: BlockSize = 32

    @property
    def in_blocks(self) -> bool:
        """Whether weights share a scale block by block."""
        return self.kind in _BITS

    def __str__(self) -> str:
        """`int4/32`, `fp16`."""
        return f"{self.kind}/{self.block}" if self.in_blocks else self.kind

    def bytes_of(self, outer: int, inner: int, symmetric: bool) -> int:
        """Returns the size of a float32 matrix [outer, inner] at this level, in bytes."""
        if self.kind == "int8-dynamic":
            return outer * inner + 5 * outer  # a scale and a zero point a column
        if not self.in_blocks:
            return outer * inner * (2 if self.kind == "fp16" else 4)
        rows, scales, zeros = BlockFormat(_BITS[self.kind], self.block, symmetric).fitted(inner).shapes(outer, inner)
        whole = rows[0] * rows[1] * rows[2] + 4 * scales[0] * scales[1]
        return whole if symmetric else whole + zeros[0] * zeros[1]


FULL = PrecisionLevel("fp32")
PROBE = PrecisionLevel("int4")  # what a unit is in when its share in the error is measured
LEVELS: tuple[PrecisionLevel, ...] = (
    *(PrecisionLevel("int4", size) for size in SIZES),
    PrecisionLevel("int8-dynamic"),
    *(PrecisionLevel("int8", size) for size in SIZES),
    PrecisionLevel("fp16"),
    FULL,
)


Mix = tuple[PrecisionLevel, ...]  # a level for each unit


@dataclass
class SearchUnit:
    """A float32 weight [outer, inner], or several whose nodes have one name in several components.

    products, tables: the nodes. unquantized_bytes: of the table that stays beside the products' quantized copy.
    """

    matrices: list[tuple[int, int]]
    products: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    levels: tuple[PrecisionLevel, ...] = LEVELS
    unquantized_bytes: int = 0

    @property
    def name(self) -> str:
        return [*self.products, *self.tables][0]

    @property
    def parameters(self) -> int:
        return sum(outer * inner for outer, inner in self.matrices)

    def bytes_at(self, level: PrecisionLevel, symmetric: bool) -> int:
        """Returns the bytes stored for it at a level."""
        whole = sum(level.bytes_of(*sizes, symmetric) for sizes in self.matrices)
        return whole + (0 if level == FULL else self.unquantized_bytes)

    def nearest(self, level: PrecisionLevel) -> PrecisionLevel:
        """Returns the level, or the next larger one that the unit supports."""
        return next(one for one in LEVELS[LEVELS.index(level) :] if one in self.levels)


def find_units(
    models: Mapping[str, ir.Model], settings: QuantizeSettings, levels: Sequence[PrecisionLevel], tables: bool
) -> list[SearchUnit]:
    """Returns the weights that the settings leave to quantize, in the graphs' order. tables: whether to include token
    tables.

    Raises RecipeError if there are none.
    """
    by_weight: dict[Key, SearchUnit] = {}
    for model in models.values():
        for linear in find_linears(model, settings)[0]:
            if linear.tensor.dtype == ir.DataType.FLOAT:
                unit = by_weight.setdefault(tensor_key(linear.tensor), SearchUnit([(linear.outer, linear.inner)]))
                _note(unit.products, linear.node)
        for gather, table in find_tables(model.graph):
            if gather.name not in settings.exclude and table.dtype == ir.DataType.FLOAT:
                _take_table(by_weight, gather, table, tables)
    units = _merge_by_name(unit for unit in by_weight.values() if unit.products or tables)
    for unit in units:
        unit.levels = tuple(level for level in LEVELS if (level in levels or level == FULL) and _fits(unit, level))
    if not units:
        raise RecipeError("No weight of this model can be made smaller node by node, so no goal can be searched for.")
    return units


def _take_table(by_weight: dict[Key, SearchUnit], gather: ir.Node, table: ir.Value, tables: bool) -> None:
    assert table.const_value is not None
    outer, inner = (int(size) for size in table.const_value.shape)
    unit = by_weight.setdefault(tensor_key(table.const_value), SearchUnit([(outer, inner)]))
    if tables:
        _note(unit.tables, gather)
    else:
        unit.unquantized_bytes = table.const_value.nbytes


def _merge_by_name(units: Iterable[SearchUnit]) -> list[SearchUnit]:
    """Merges units that share a node's name, because a recipe cannot distinguish them."""
    merged: list[SearchUnit] = []
    for unit in units:
        names = {*unit.products, *unit.tables}
        same = next((one for one in merged if not names.isdisjoint([*one.products, *one.tables])), None)
        if same is None:
            merged.append(unit)
            continue
        same.matrices += unit.matrices
        same.products = list(dict.fromkeys([*same.products, *unit.products]))
        same.tables = list(dict.fromkeys([*same.tables, *unit.tables]))
        same.unquantized_bytes += unit.unquantized_bytes
    return merged


def _note(names: list[str], node: ir.Node) -> None:
    if str(node.name) not in names:
        names.append(str(node.name))


def _fits(unit: SearchUnit, level: PrecisionLevel) -> bool:
    if not unit.tables:
        return True
    parted = level.in_blocks and any(inner % level.block for _, inner in unit.matrices)
    return level.kind != "int8-dynamic" and not parted


def other_weight_bytes(models: Mapping[str, ir.Model], units: Sequence[SearchUnit]) -> int:
    """Returns the bytes of the weights that belong to no unit."""
    tensors = (value.const_value for model in models.values() for value in large_initializers(model))
    distinct: dict[Key, int] = {tensor_key(tensor): tensor.nbytes for tensor in tensors if tensor is not None}
    return sum(distinct.values()) - sum(4 * unit.parameters for unit in units)


def mix_recipe(units: Sequence[SearchUnit], mix: Mix, settings: QuantizeSettings) -> tuple[Precision, QuantizeSettings]:
    """Returns the precision and the settings of this mix: the most frequent level, and the others by node name."""
    base = _most(units, mix)
    nodes: dict[str, NodePrecision] = {}
    exclude = [*settings.exclude]
    for unit, level in zip(units, mix, strict=True):
        if level.kind == "fp32":
            exclude += unit.products if base != FULL else []
            continue
        names = unit.tables if level == base else [*unit.products, *unit.tables]
        nodes |= {name: NodePrecision(precision=level.kind, block_size=level.block) for name in names}
    changes = {"nodes": nodes, "exclude": tuple(exclude), "embedding": "fp32", "block_size": base.block,
               "fine_block_size": None}  # fmt: skip
    kind: Precision = "fp32" if base.kind == "fp16" else base.kind
    return kind, settings.model_copy(update=changes)


def _most(units: Sequence[SearchUnit], mix: Mix) -> PrecisionLevel:
    """Returns the integer level of most product weights; FULL if none has one."""
    shares = dict.fromkeys((level for level in LEVELS if level.kind not in ("fp16", "fp32")), 0)
    for unit, level in zip(units, mix, strict=True):
        if level in shares and unit.products:
            shares[level] += unit.parameters
    best = max(shares, key=lambda level: shares[level])
    return best if shares[best] else FULL


def describe_mix(units: Sequence[SearchUnit], mix: Mix) -> str:
    """Returns `int4/32 throughout`, or the number of weights at each level."""
    counts: dict[PrecisionLevel, int] = {}
    for level in mix:
        counts[level] = counts.get(level, 0) + 1
    if len(counts) == 1:
        return f"{mix[0]} throughout"
    parts = [f"{counts[level]} in {level}" for level in LEVELS if level in counts]
    return ", ".join(parts)

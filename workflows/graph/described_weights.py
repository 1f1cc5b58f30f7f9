"""A weight file that is described instead of written: `weights.json` says what each region of `weights.data` holds.

    checkpoint's file ─┐
    constants.data ────┴─▶ StoredWeight (file, offset, axes) ──▶ WeightRecipe (parts, joined) ──compute──▶ float32 array
                                                        │
    DescribedTensor: an ExternalTensor of weights.data, whose numbers are computed when they are read

A stage of a large model stores kilobytes: its graphs have the offsets that the weight file would have, and reading a
region reads the checkpoint. `write_described` writes the file, byte for byte.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.checkpoint.block_rows import BlockRows
from workflows.checkpoint.gguf.forms import BLOCK_FORMS, ordered_rows
from workflows.checkpoint.packed import PackedPart, PackedWeight
from workflows.checkpoint.peft.changes import WeightChange
from workflows.checkpoint.peft.merging import apply_changes
from workflows.common.errors import CheckpointError, printable
from workflows.common.tensors import Array
from workflows.processor.cores import usable_cores

DESCRIPTION, CONSTANTS = "weights.json", "constants.data"
RECIPE = "joinery.recipe"  # in a tensor's `meta`: its WeightRecipe
_CONVERTED = 1 << 20  # elements that a thread converts at once
_SAMPLE = 64  # elements of a tensor that are compared before all of them are
_STORED = {"float32": np.float32, "float16": np.float16, "bfloat16": np.uint16}
"""Checkpoint dtypes that become float32 without rounding, and how their bytes are read; beside them BLOCK_FORMS."""
_EXPONENTS = {"float16": 0x7C00, "bfloat16": 0x7F80}  # bits that are all set in NaN and infinity


@dataclass(frozen=True, slots=True)
class StoredWeight:
    """A tensor in a file: `shape` elements of `dtype` from byte `offset` on. name: for messages; "" for a constant.

    axes: its axes in the order of the result, () for their own order. head_size: rows and columns of a head whose rows
    alternate between its halves in the file, () for rows in order. changes: what adapters make of it. packed: the
    tensors that it is packed in, in files.
    """

    file: str
    offset: int
    dtype: str
    shape: tuple[int, ...]
    name: str = ""
    axes: tuple[int, ...] = ()
    head_size: tuple[int, ...] = ()
    changes: tuple[WeightChange, ...] = ()
    packed: PackedWeight | None = None

    @property
    def is_blocks(self) -> bool:
        """Whether it is stored in blocks of integers."""
        return bool(self.name) and (self.packed is not None or self.dtype in BLOCK_FORMS)

    @property
    def bytes(self) -> int:
        """The bytes that it has in the file."""
        if self.packed:
            return self.packed.bytes
        if self.is_blocks:
            form = BLOCK_FORMS[self.dtype]
            return math.prod(self.shape) // form.elements * form.bytes
        return math.prod(self.shape) * np.dtype(_STORED[self.dtype] if self.name else self.dtype).itemsize

    @property
    def places(self) -> tuple[StoredWeight | PackedPart, ...]:
        """Where its bytes are: in one place, or those of its parts."""
        return self.packed.parts if self.packed else (self,)

    @property
    def result_shape(self) -> tuple[int, ...]:
        """The shape with the axes in the order of the result."""
        return tuple(self.shape[axis] for axis in self.axes) if self.axes else self.shape


@dataclass(frozen=True, slots=True)
class WeightRecipe:
    """How a tensor is made of stored ones: joined along `axis` of the result, then reshaped to `shape`.

    grid: how parts of one shape lie side by side, on axes before their own: the experts of a layer. order: the order of
    all these axes in the result.
    """

    parts: tuple[StoredWeight, ...]
    shape: tuple[int, ...]
    axis: int = 0
    grid: tuple[int, ...] = ()
    order: tuple[int, ...] = ()

    @classmethod
    def of_grid(cls, parts: Sequence[StoredWeight], grid: tuple[int, ...], shape: tuple[int, ...]) -> WeightRecipe:
        """The tensor `shape` of parts of one shape, in the order of the grid."""
        return cls(tuple(parts), shape, grid=grid, order=tuple(range(len(grid) + len(parts[0].shape))))

    @classmethod
    def of(cls, stored: StoredWeight) -> WeightRecipe:
        """The tensor as it is stored."""
        return cls((stored,), stored.result_shape)

    @property
    def is_constant(self) -> bool:
        """Whether none of it is a checkpoint's."""
        return all(map(_is_constant, self.parts))

    def transposed(self, axes: tuple[int, ...]) -> WeightRecipe | None:
        """The recipe with its axes in another order; None where parts were joined or reshaped before."""
        if len(self.parts) > 1 or self.order or self.shape != self.parts[0].result_shape:
            return None
        before = self.parts[0].axes or tuple(range(len(axes)))
        after = tuple(before[axis] for axis in axes)
        part = replace(self.parts[0], axes=() if after == tuple(range(len(after))) else after)
        return WeightRecipe.of(part)

    def rearranged(self, view: tuple[int, ...], order: tuple[int, ...], shape: tuple[int, ...]) -> WeightRecipe | None:
        """The recipe seen as `view`, with its axes in another order, then as `shape`; None where it cannot be."""
        sizes, axes = self._axes()
        groups = _split_axes([sizes[axis] for axis in axes], view)
        joined = len(self.parts) > 1 and not self.grid
        if groups is None or joined or (self.grid and any(len(group) > 1 for group in groups)):
            return None
        starts = dict(zip(axes, _starts(groups), strict=True))  # of each stored axis, among the axes of the view
        places = dict(zip(axes, groups, strict=True))
        stored = [starts[axis] + i for axis in range(len(sizes)) for i in range(len(places[axis]))]
        parts = self.parts
        if not self.grid:
            parts = (replace(parts[0], shape=tuple(view[place] for place in stored), axes=()),)
        return WeightRecipe(parts, shape, grid=self.grid, order=tuple(stored.index(place) for place in order))

    def _axes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The sizes of the grid's and the parts' axes, and their order in the result before it is reshaped."""
        part = self.parts[0]
        sizes = (*self.grid, *part.shape)
        return sizes, self.order or part.axes or tuple(range(len(sizes)))

    def sample(self) -> bytes:
        """Some bytes of the numbers as they are stored: equal tensors have equal samples."""
        part = self.parts[-1]
        count = math.prod(part.shape)
        if not count:
            return b""
        flat = [_mapped(part, np.dtype(np.uint8), (one.bytes,), one)[:: max(1, one.bytes // _SAMPLE)]
                for one in part.places]  # fmt: skip
        form = repr((part.axes, part.dtype, part.head_size, part.changes)).encode()
        return form + b"".join(one.tobytes() for one in flat)

    def compute(self) -> Array:
        """The numbers, in the stored dtype of constants and float32 for those of a checkpoint.

        Raises CheckpointError for NaN and infinite numbers of a checkpoint, and for a file that is gone.
        """
        first = self.parts[0]
        if self.order:
            return self._compute_in_order()
        axes = first.axes or tuple(range(len(first.shape)))
        along = axes[self.axis] if axes else 0
        shape = [*first.shape]
        if shape:
            shape[along] = sum(part.shape[along] for part in self.parts)
        joined = np.empty(shape, np.dtype(first.dtype) if _is_constant(first) else np.float32)
        start = 0
        for part in self.parts:
            places = [slice(None)] * len(shape)
            if shape:
                places[along] = slice(start, start + part.shape[along])
                start += part.shape[along]
            _read(part, joined[tuple(places)] if shape else joined)
        return joined.transpose(axes).reshape(self.shape)

    def compute_rows(self, rows: NDArray[np.int64]) -> Array | None:
        """The table [N,K] with these rows alone; the others are 0 and take no memory.

        None where the table is not stored as it is. Raises as `compute`, of what it reads.
        """
        part = self.parts[0]
        is_table = len(self.shape) == 2 and self.shape == part.shape
        moved = len(self.parts) > 1 or self.order or part.axes or part.head_size
        if moved or part.packed or part.changes or not is_table:
            return None
        table = np.zeros(self.shape, np.float32)
        read = np.empty((len(rows), self.shape[1]), np.float32)
        if not _convert(part, stored_rows(part), rows, read):
            raise _not_finite(part)
        table[rows] = read
        return table

    def _compute_in_order(self) -> Array:
        """Each part is read into its places of the result, so that nothing is in memory twice."""
        sizes, axes = self._axes()
        result = np.empty(self.shape, np.float32)
        stored = result.reshape([sizes[axis] for axis in axes]).transpose(np.argsort(axes))
        for place, part in zip(np.ndindex(*self.grid), self.parts, strict=True):
            _read(part, stored[place])
        return result


def _split_axes(sizes: Sequence[int], view: Sequence[int]) -> list[list[int]] | None:
    """The sizes of `view` that each of `sizes` is divided into; None where their borders differ."""
    groups: list[list[int]] = []
    rest = [*view]
    for size in sizes:
        group = [rest.pop(0)] if rest else []
        while rest and math.prod(group) < size:
            group.append(rest.pop(0))
        if math.prod(group) != size or not group:
            return None
        groups.append(group)
    return None if rest else groups


def _starts(groups: Sequence[Sequence[int]]) -> list[int]:
    return [sum(map(len, groups[:index])) for index in range(len(groups))]


def join_recipes(recipes: list[WeightRecipe | None], axis: int) -> WeightRecipe | None:
    """The recipe of tensors joined along an axis; None where one has none, or they are stored in different orders."""
    parts: list[StoredWeight] = []
    for recipe in recipes:
        if recipe is None or len(recipe.parts) > 1 or recipe.order or recipe.shape != recipe.parts[0].result_shape:
            return None
        parts += recipe.parts
    if len({(part.axes, part.name == "") for part in parts}) > 1:
        return None
    shape = [*parts[0].result_shape]
    shape[axis] = sum(part.result_shape[axis] for part in parts)
    return WeightRecipe(tuple(parts), tuple(shape), axis)


def recipe_of(tensor: ir.TensorProtocol | None) -> WeightRecipe | None:
    """The recipe of a tensor that is computed from stored ones."""
    if isinstance(tensor, DescribedTensor):
        return tensor.recipe
    recipe = tensor.meta.get(RECIPE) if tensor is not None else None
    return recipe if isinstance(recipe, WeightRecipe) else None


def recipe_tensor(recipe: WeightRecipe, name: str) -> ir.LazyTensor:
    """A float32 tensor of the recipe, computed whenever it is read."""
    tensor = ir.LazyTensor(lambda: ir.tensor(recipe.compute()), ir.DataType.FLOAT, ir.Shape(recipe.shape), name=name)
    tensor.meta[RECIPE] = recipe
    return tensor


class DescribedTensor(ir.ExternalTensor):  # type: ignore[misc,unused-ignore]
    """A region of a described weight file; every reading computes it anew."""

    __slots__ = ("recipe",)

    def __init__(self, place: ir.ExternalTensor, recipe: WeightRecipe) -> None:
        super().__init__(
            place.location, place.offset, place.length, place.dtype, shape=ir.Shape(place.shape), name=str(place.name),
            base_dir=place.base_dir,
        )  # fmt: skip
        self.recipe = recipe

    def numpy(self) -> NDArray[Any]:
        """The numbers, computed."""
        return self.recipe.compute().reshape(tuple(int(axis) for axis in self.shape))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.numpy().astype(dtype or self.dtype.numpy(), copy=False)

    def tobytes(self) -> bytes:
        """The bytes as the weight file would hold them."""
        return np.ascontiguousarray(self.numpy()).tobytes()

    def tofile(self, file: Any) -> None:
        """Writes the bytes."""
        file.write(self.tobytes())

    def release(self) -> None:
        """Nothing is held between readings."""


@dataclass(frozen=True, slots=True)
class DescribedRegion:
    """`length` bytes from `offset` of a described weight file on, and what they hold."""

    offset: int
    length: int
    recipe: WeightRecipe


def is_described(folder: Path) -> bool:
    """Whether the folder's weight file is described instead of written."""
    return (folder / DESCRIPTION).is_file()


def save_description(folder: Path, regions: list[DescribedRegion], size: int) -> None:
    """Writes `weights.json`. size: the bytes that the weight file would have."""
    data: dict[str, Any] = {"size": size, "regions": [asdict(region) for region in regions]}
    for part in (part for region in data["regions"] for part in region["recipe"]["parts"] if not part["name"]):
        part["file"] = CONSTANTS  # the folder is renamed when it is complete
    (folder / DESCRIPTION).write_text(json.dumps(data, separators=(",", ":")), "utf-8")


def read_description(folder: Path) -> tuple[list[DescribedRegion], int]:
    """The regions in the order of their offsets, and the bytes that the weight file would have."""
    data = json.loads((folder / DESCRIPTION).read_text("utf-8"))
    return [_region(entry, folder) for entry in data["regions"]], int(data["size"])


def describe(model: ir.Model, folder: Path) -> None:
    """Replaces the model's tensors in the described weight file of `folder` by ones that can be read."""
    regions = {region.offset: region.recipe for region in read_description(folder)[0]}
    for graph in (model.graph, *model.graph.subgraphs()):
        for value in graph.initializers.values():
            tensor = value.const_value
            if isinstance(tensor, ir.ExternalTensor):
                value.const_value = DescribedTensor(tensor, regions[tensor.offset or 0])


def written_regions(folder: Path) -> Iterator[tuple[int, Array]]:
    """(offset, numbers) of each region of a described weight file, in the order of the file."""
    for region in read_description(folder)[0]:
        yield region.offset, region.recipe.compute()


def _region(entry: Mapping[str, Any], folder: Path) -> DescribedRegion:
    recipe = entry["recipe"]
    parts = tuple(
        StoredWeight(
            str(folder / part["file"]) if not part["name"] else part["file"], part["offset"], part["dtype"],
            tuple(part["shape"]), part["name"], tuple(part["axes"]), tuple(part["head_size"]),
            tuple(map(WeightChange.from_dict, part["changes"])), _packed(part["packed"]),
        )
        for part in recipe["parts"]
    )  # fmt: skip
    shape, grid, order = (tuple(recipe[name]) for name in ("shape", "grid", "order"))
    return DescribedRegion(entry["offset"], entry["length"], WeightRecipe(parts, shape, recipe["axis"], grid, order))


def _packed(entry: Mapping[str, Any] | None) -> PackedWeight | None:
    if entry is None:
        return None
    parts = tuple(PackedPart(**{**part, "shape": tuple(part["shape"])}) for part in entry["parts"])
    return PackedWeight(**{**entry, "parts": parts})


def _is_constant(stored: StoredWeight) -> bool:
    return not stored.name


def _read(stored: StoredWeight, target: Array) -> None:
    """Fills `target`, of the stored shape, in threads; each part of the file is mapped only while it is read."""
    count = math.prod(stored.shape)
    if not count:
        return
    if stored.changes:
        _read_changed(stored, target)
        return
    if not stored.shape:
        target = target.reshape(1)
    source = stored_rows(stored)
    if stored.is_blocks and len(stored.shape) == 1:
        target = target.reshape(1, count)
    row = count // len(source)
    rows = max(1, _CONVERTED // row)
    if stored.head_size:  # whole heads
        head = -(-math.prod(stored.head_size) // row)
        rows = max(1, rows // head) * head
    blocks = [slice(start, start + rows) for start in range(0, len(source), rows)]

    def convert(block: slice) -> bool:
        return _convert(stored, source, block, target[block])

    if len(blocks) == 1:
        finite = convert(blocks[0])
    else:
        with ThreadPoolExecutor(usable_cores()) as pool:
            finite = all(pool.map(convert, blocks))
    if not finite:
        raise _not_finite(stored)


def _read_changed(stored: StoredWeight, target: Array) -> None:
    """Fills `target` with the numbers that adapters make of the stored ones."""
    weight = np.empty(stored.shape, np.float32)
    _read(replace(stored, changes=()), weight)
    apply_changes(stored.changes, weight)
    target[...] = weight
    if not _is_finite(weight):
        raise _not_finite(stored)


def _convert(stored: StoredWeight, source: Array | BlockRows, rows: slice | NDArray[Any], target: Array) -> bool:
    """Fills `target` with some stored rows; returns whether they may be there: a checkpoint's must be finite."""
    if isinstance(source, BlockRows):
        target[...] = _in_order(stored, source.numbers(rows)).reshape(target.shape)
    elif stored.head_size:
        numbers = np.empty(source[rows].shape, np.float32)
        finite = _convert(replace(stored, head_size=()), source, rows, numbers)
        target[...] = _in_order(stored, numbers).reshape(target.shape)
        return finite
    elif stored.dtype == "bfloat16" and not _is_constant(stored):
        np.left_shift(source[rows], 16, out=target.view(np.uint32), dtype=np.uint32, casting="unsafe")
    else:
        target[...] = source[rows]
    return _is_constant(stored) or _is_finite(target)


def _in_order(stored: StoredWeight, numbers: Array) -> Array:
    """Numbers of whole heads with their rows in order."""
    return ordered_rows(numbers.reshape(-1, stored.head_size[1]), stored.head_size[0]) if stored.head_size else numbers


def stored_rows(stored: StoredWeight) -> Array | BlockRows:
    """The stored tensor along its first axis, mapped: as it is, or in blocks."""
    return block_rows(stored) if stored.is_blocks else _mapped(stored, _stored_kind(stored), stored.shape or (1,))


def stored_halves(stored: StoredWeight) -> Array:
    """The numbers of a weight in 16 bits, as uint16, mapped. Raises CheckpointError for NaN and infinite ones."""
    numbers = _mapped(stored, np.dtype(np.uint16), stored.shape)
    exponent = np.uint16(_EXPONENTS[stored.dtype])
    step = max(1, _CONVERTED // math.prod(stored.shape[1:]))
    for start in range(0, len(numbers), step):
        if ((numbers[start : start + step] & exponent) == exponent).any():
            raise _not_finite(stored)
    return numbers


def block_rows(stored: StoredWeight) -> BlockRows:
    """The rows of a weight in blocks, mapped."""

    def read(part: PackedPart | None) -> Array:
        return _mapped(stored, np.dtype(np.uint8), ((part or stored).bytes,), part)

    return BlockRows(stored, read)


def _not_finite(stored: StoredWeight) -> CheckpointError:
    return CheckpointError(
        f"{printable(Path(stored.file).name)}: the weight {printable(stored.name)} holds NaN or infinite values."
    )


def _stored_kind(stored: StoredWeight) -> np.dtype[Any]:
    """How the bytes of the stored tensor are read."""
    return np.dtype(stored.dtype if _is_constant(stored) else _STORED[stored.dtype])


def _mapped(
    stored: StoredWeight, kind: np.dtype[Any], shape: tuple[int, ...], part: StoredWeight | PackedPart | None = None
) -> Array:
    """The stored bytes, of a part where there is one, mapped.

    Raises CheckpointError for a file that is gone, or shorter than it was.
    """
    place = part or stored
    try:
        return np.memmap(place.file, kind, "r", place.offset, shape)
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"The weight {printable(stored.name)} cannot be read from {printable(place.file)} "
            f"({printable(error, 120)}): leave the checkpoint where it is until the build ends."
        ) from error


def _is_finite(numbers: Array) -> bool:
    """Whether all are finite; their sum says so at once, unless it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(np.add.reduce(numbers, None))) or bool(np.isfinite(numbers).all())

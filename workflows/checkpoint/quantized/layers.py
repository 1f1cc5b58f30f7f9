"""One quantized layer of a checkpoint, and how a method says what weight its tensors are.

    model.layers.0.mlp.up_proj.{qweight, qzeros, scales} ──QuantizedLayer.weight──▶ model.layers.0.mlp.up_proj.weight

Nothing of a tensor is believed: a missing one, another dtype or a shape that does not fit is an error with its name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.files import open_file, regular_file
from workflows.checkpoint.packed import PackedPart, PackedWeight
from workflows.checkpoint.quantized.parts import Parts, array_of, to_floats
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, printable
from workflows.common.tensors import Array

Settings = Mapping[str, object]
"""The checkpoint's `quantization_config`."""
FLOATS = ("float16", "bfloat16", "float32")
LARGEST_BLOCK, SMALLEST_BLOCK = 128, 16  # numbers with one scale, of products with integers


@dataclass(frozen=True)
class QuantizedLayer:
    """The tensors of the layer `name` by their suffixes. folder: of their files. title: the method, for messages."""

    name: str
    tensors: Mapping[str, TensorInfo]
    settings: Settings
    folder: Path
    title: str

    def get(self, suffix: str, dtypes: Iterable[str], axes: int | None = None) -> TensorInfo:
        """The tensor with this suffix. Raises CheckpointError unless it is there, of these dtypes and so many axes."""
        info, wanted = self.tensors.get(suffix), tuple(dtypes)
        if info is None:
            raise self.error(f"its tensor '{suffix}' is missing")
        if info.dtype not in wanted:
            raise self.error(f"'{suffix}' is stored in {printable(info.dtype, 30)} and not in {' or '.join(wanted)}")
        if axes is not None and len(info.shape) != axes:
            raise self.error(f"'{suffix}' has the shape {list(info.shape)}, which has not {axes} axes")
        return info

    def check_shape(self, suffix: str, *shapes: tuple[int, ...]) -> None:
        """Raises CheckpointError unless the tensor has one of these shapes."""
        shape = self.tensors[suffix].shape
        if shape not in shapes:
            wanted = " or ".join(str(list(one)) for one in shapes)
            raise self.error(f"'{suffix}' has the shape {list(shape)} where the others need {wanted}")

    def read(self, suffix: str) -> NDArray[Any]:
        """The numbers of a tensor, which should be small."""
        part = _part(suffix, self.tensors[suffix])
        return array_of(part, read_part(self.folder, part))

    def numbers(self, suffix: str) -> Array:
        """The numbers of a tensor, which should be small, in float32."""
        return to_floats(self.tensors[suffix].dtype, self.read(suffix))

    def error(self, problem: str) -> CheckpointError:
        """The error for a layer that cannot be read."""
        return CheckpointError(
            f"The weight of '{printable(self.name, 90)}' cannot be read as {self.title}: {problem}; get the checkpoint "
            "again, or another quantization of the same model."
        )

    def weight(
        self, form: str, suffixes: Iterable[str], packed: PackedWeight, roles: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[str, TensorInfo]:
        """The weight's name and what it is. suffixes: of its parts. roles: those that are no suffix itself."""
        parts = tuple(
            _part(roles.get(suffix) or suffix.removeprefix("weight_"), self.tensors[suffix]) for suffix in suffixes
        )
        own = replace(packed, parts=parts)
        name, shape = f"{self.name}.weight", own.shape
        if own.turned:
            name = self.name
        return name, TensorInfo(form, shape, parts[0].file, own.bytes, parts[0].offset, name, packed=own)


def _part(role: str, info: TensorInfo) -> PackedPart:
    return PackedPart(role, info.file, info.offset, info.dtype, info.shape, info.bytes)


def read_part(folder: Path, part: PackedPart) -> NDArray[Any]:
    """The bytes of a part, read. Raises CheckpointError where the file ends before it does."""
    with open_file(regular_file(folder, part.file)) as file:
        file.seek(part.offset)
        content = file.read(part.bytes)
    if len(content) < part.bytes:
        raise CheckpointError(f"'{printable(part.file)}' ends before its data does: get it again.")
    return np.frombuffer(content, np.uint8)


def block_size(group: int, columns: int) -> tuple[int, bool]:
    """The numbers of a block where `group` of them have one scale, and whether products take such blocks."""
    common = columns if group >= columns else math.gcd(group, columns)
    size = min(common & -common, LARGEST_BLOCK)  # the largest power of two that divides it
    return (size, True) if size >= SMALLEST_BLOCK else (common, False)


def positive(settings: Settings, name: str, title: str) -> int:
    """A whole number of the settings, -1 for none. Raises CheckpointError for anything else."""
    value = settings.get(name, -1)
    if value is None:
        return -1
    if not isinstance(value, int) or isinstance(value, bool) or not -1 <= value < 1 << 31 or value == 0:
        raise CheckpointError(
            f"The quantization_config of this {title} checkpoint says {name} = {printable(value, 30)}, which is no "
            "such number: get config.json again."
        )
    return value


def fields(packed: NDArray[Any], bits: int) -> NDArray[Any]:
    """Words of 32 bits [..., w] as integers of 4 or 8 bits [..., w · 32 / bits], the lowest first."""
    stored = np.ascontiguousarray(packed).view(np.uint8)
    return stored if bits == 8 else nibbles(stored)


def nibbles(stored: NDArray[Any]) -> NDArray[Any]:
    """Bytes [..., n] as integers of 4 bits [..., 2n], the low ones first."""
    split = np.empty((*stored.shape[:-1], 2 * stored.shape[-1]), np.uint8)
    split[..., ::2], split[..., 1::2] = stored & 15, stored >> 4
    return split


def split_weight(name: str) -> tuple[str, str]:
    """The layer and the suffix of a tensor that may be a part of a weight: `….q_proj.weight.absmax` is `weight.absmax`
    of `….q_proj`.
    """
    layer, dot, rest = name.partition(".weight.")
    if dot:
        return layer, f"weight.{rest}"
    layer, _, suffix = name.rpartition(".")
    return layer, suffix


def signed_rows(parts: Parts, role: str, scales: NDArray[Any], rows: slice) -> Blocks:
    """Rows of signed 8-bit integers. scales: one for each of the rows."""
    packed = parts.packed
    integers = np.ascontiguousarray(parts.raw(role)[rows]).view(np.uint8) ^ 128
    scales = np.repeat(scales, packed.columns // packed.size)
    return Blocks(integers.reshape(-1, packed.size), scales, 128, 8)


def groups_of_blocks(packed: PackedWeight) -> NDArray[np.int64]:
    """The group of each block of a row, where groups follow each other."""
    return np.arange(packed.columns // packed.size) * packed.size // packed.group


def spread(parts: Parts, numbers: str | NDArray[Any], rows: slice) -> NDArray[Any]:
    """Scales, by their role, or other numbers [rows or 1, groups or 1], of some rows: one of each block, [n · blocks].

    The rows are groups of `row_group`.
    """
    packed, scales = parts.packed, parts.floats(numbers) if isinstance(numbers, str) else numbers
    matrix = scales.reshape(len(scales), -1) if scales.ndim else scales.reshape(1, 1)
    places = np.arange(rows.start, rows.stop)
    own = matrix[places // packed.row_group if len(matrix) > 1 else np.zeros_like(places)]
    groups = groups_of_blocks(packed) if own.shape[1] > 1 else np.zeros(packed.columns // packed.size, np.int64)
    return own[:, groups].reshape(-1)

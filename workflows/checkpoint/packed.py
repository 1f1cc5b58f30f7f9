"""Weights that a checkpoint stores in several tensors: packed integers with their scales, zero points and order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PackedPart:
    """One of the tensors: `bytes` bytes of `dtype` at `offset` of `file`. role: what it is of the weight."""

    role: str
    file: str
    offset: int
    dtype: str
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True, slots=True)
class PackedWeight:
    """A matrix [rows, columns] in parts; those of stacked matrices are their rows one after another.

    group: numbers of a row with one scale. size: numbers of a block as it is unpacked, which divides the group. bits:
    of an integer. zeros: whether each block has a zero point. half: whether scales are float16. step: what is added to
    the words of zero points. held: whether the blocks are integers that a product takes.
    """

    parts: tuple[PackedPart, ...]
    rows: int
    columns: int
    group: int
    size: int
    bits: int
    zeros: bool = False
    half: bool = False
    step: int = 0
    held: bool = True

    @property
    def bytes(self) -> int:
        """The bytes of all parts."""
        return sum(part.bytes for part in self.parts)

    def within(self, folder: Path) -> PackedWeight:
        """The weight with the paths of its files in `folder`."""
        return replace(self, parts=tuple(replace(part, file=str(folder / part.file)) for part in self.parts))

    def part(self, role: str) -> PackedPart | None:
        """The part with this role."""
        return next((part for part in self.parts if part.role == role), None)


class BlockWeight(Protocol):
    """A weight in blocks: TensorInfo, StoredWeight."""

    @property
    def dtype(self) -> str:
        """The name of its form."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape as it is stored."""

    @property
    def packed(self) -> PackedWeight | None:
        """Its parts, where there are several."""

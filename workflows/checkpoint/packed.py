"""Weights that a checkpoint stores in several tensors: packed integers with their scales, zero points and order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from workflows.checkpoint.peft.changes import WeightChange


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
    the words of zero points. held: whether the blocks are integers that a product takes. row_group: rows with one
    scale. turned: how many matrices are stacked, each of which the model has transposed; 0 for one as it is.
    nested: scales that have a scale themselves, in groups of so many, and `offset`, which is added to them. minimums:
    whether zero points are of any number, so that a bundle holds whole ones and what is left as minimums.
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
    row_group: int = 1
    turned: int = 0
    nested: int = 0
    offset: float = 0.0
    minimums: bool = False

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape of the numbers as they are unpacked."""
        return (self.turned, self.rows // self.turned, self.columns) if self.turned else (self.rows, self.columns)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that the model has it in."""
        *stacked, rows, columns = self.stored_shape
        return (*stacked, columns, rows) if self.turned else (rows, columns)

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

    @property
    def changes(self) -> tuple[WeightChange, ...]:
        """What adapters make of it."""

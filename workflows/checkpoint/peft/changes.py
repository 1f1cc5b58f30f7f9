"""A change of one stored weight by an adapter: which numbers of which files it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class StoredFactor:
    """Rows and columns of a tensor in an adapter's file. file: its resolved path.

    rows, columns: (first, step, count) along the first and the last axis, () for all of them.
    """

    file: str
    offset: int
    dtype: str
    shape: tuple[int, ...]
    name: str
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class WeightChange:
    """Adds scale · left [N,R] · right [R,K] to a weight [N,K]; without `right`, scale · left [N] to a bias [N].

    turned: the weight is stored as [K,N]. magnitude: [N], the norms that the rows then get (DoRA,
    https://arxiv.org/abs/2402.09353, formula 5). index: of the matrix, where the weight is a stack of them.
    """

    adapter: str
    scale: float
    left: StoredFactor
    right: StoredFactor | None = None
    turned: bool = False
    magnitude: StoredFactor | None = None
    index: int = 0

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WeightChange:
        """Reads what dataclasses.asdict wrote."""
        left, right, magnitude = (data[name] and _factor(data[name]) for name in ("left", "right", "magnitude"))
        return cls(data["adapter"], data["scale"], left, right, data["turned"], magnitude, data["index"])


def _factor(data: Mapping[str, Any]) -> StoredFactor:
    axes = {name: tuple(data[name]) for name in ("shape", "rows", "columns")}
    return StoredFactor(**{**data, **axes})

"""Many small dataclasses as rows, a few hundred in a piece: a third of the bytes, and read without a look at each.

    [GraphNode, …] ──pieces──▶ [[[name, op, …], …], …]        a piece ──Rows.read──▶ [GraphNode, …]

A column of a piece whose types are all as declared is taken as it is; of another each value is read by itself, which
also tells the one that does not fit.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, Union, get_args, get_origin

ROWS_PER_CHUNK = 200
"""Rows that are sent, and read, in one go."""
_PLAIN = (str, int, float, bool, types.NoneType)


def to_row_chunks(values: Sequence[object]) -> list[list[tuple[object, ...]]]:
    """The fields of dataclasses of one kind, in their order."""
    if not values:
        return []
    row = attrgetter(*(one.name for one in fields(values[0])))  # type: ignore[arg-type]
    return [list(map(row, values[at : at + ROWS_PER_CHUNK])) for at in range(0, len(values), ROWS_PER_CHUNK)]


@dataclass(frozen=True)
class ColumnReader:
    """What a field is declared as, and how values of it are read, one by one."""

    kind: Hashable
    read: Callable[[tuple[object, ...]], tuple[object, ...]]


def read_row_chunk(make: Callable[..., object], columns: Sequence[ColumnReader], piece: object) -> list[object] | None:
    """The dataclasses of a piece; None where it is none: rows, each with all columns. Raises what the columns do."""
    if not isinstance(piece, list) or set(map(type, piece)) - {list} or set(map(len, piece)) - {len(columns)}:
        return None
    if not piece:
        return []
    across = zip(*piece, strict=True)
    return list(map(make, *(v if _fits(c.kind, v) else c.read(v) for c, v in zip(columns, across, strict=True))))


def _fits(kind: Hashable, values: Sequence[object]) -> bool:
    """Whether all are of a kind, by a glance; False also where that does not tell."""
    plain, other = _split_union(kind)
    found = set(map(type, values)) - plain
    if not found:
        return True
    origin, inner = get_origin(other), get_args(other)
    held: Iterable[Any] = filter(None, values)
    if origin is list and found == {list}:
        return _fits(inner[0], list(chain.from_iterable(held)))
    if origin is dict and found == {dict}:
        return _fits(inner[1], list(chain.from_iterable(map(dict.values, held))))
    return origin is Literal and found <= set(map(type, inner)) and set(values) - {None} <= set(inner)


@lru_cache(maxsize=1024)
def _split_union(kind: Hashable) -> tuple[frozenset[type], object]:
    """The plain types that a value may have, and the one other kind that it may be; None where there are several."""
    either = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    others = [one for one in either if one not in _PLAIN]
    return frozenset(one for one in either if one in _PLAIN), others[0] if len(others) == 1 else None

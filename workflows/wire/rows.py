"""Lists of many small dataclasses as rows in chunks: a third of the bytes, and faster to read than objects.

    [GraphNode, …] ──to_row_chunks──▶ [[[name, op, …], …], …]        a chunk ──read_row_chunk──▶ [GraphNode, …]

A column whose values all have the declared type is taken as it is; otherwise each value is read by itself, which also
finds the one that does not match.
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
"""Rows that are written and read at once."""
_PLAIN = (str, int, float, bool, types.NoneType)


def to_row_chunks(values: Sequence[object]) -> list[list[tuple[object, ...]]]:
    """The field values of dataclasses of one class, in chunks of rows."""
    if not values:
        return []
    row = attrgetter(*(one.name for one in fields(values[0])))  # type: ignore[arg-type]
    return [list(map(row, values[at : at + ROWS_PER_CHUNK])) for at in range(0, len(values), ROWS_PER_CHUNK)]


@dataclass(frozen=True)
class ColumnReader:
    """The declared type of a field, and the function that reads a column of its values."""

    kind: Hashable
    read: Callable[[tuple[object, ...]], tuple[object, ...]]


def read_row_chunk(make: Callable[..., object], columns: Sequence[ColumnReader], chunk: object) -> list[object] | None:
    """The dataclasses of a chunk; None if it is not a list of complete rows. Raises what the columns raise."""
    if not isinstance(chunk, list) or set(map(type, chunk)) - {list} or set(map(len, chunk)) - {len(columns)}:
        return None
    if not chunk:
        return []
    across = zip(*chunk, strict=True)
    return list(map(make, *(v if _fits(c.kind, v) else c.read(v) for c, v in zip(columns, across, strict=True))))


def _fits(kind: Hashable, values: Sequence[object]) -> bool:
    """Whether all values have a type, by a quick check; False also where the check cannot decide."""
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
    """The plain types of a union, and its one other type; None if there are several."""
    either = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    others = [one for one in either if one not in _PLAIN]
    return frozenset(one for one in either if one in _PLAIN), others[0] if len(others) == 1 else None

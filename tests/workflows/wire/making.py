"""Anything that a class of the wire can hold, as a hypothesis strategy read from its declaration."""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

_LEAVES: dict[object, st.SearchStrategy[Any]] = {
    str: st.text(max_size=4),
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    type(None): st.none(),
    object: st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.lists(st.integers(), max_size=2),
}


def anything(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a field that is declared as `kind`."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in _LEAVES:
        return _LEAVES[kind]
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return st.builds(kind, **{one.name: anything(hints[one.name]) for one in fields(kind)})
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(anything, inner))
    if origin is dict:
        return st.dictionaries(st.text(max_size=4), anything(inner[1]), max_size=2)
    if origin is tuple and inner[-1] is not Ellipsis:
        return st.tuples(*map(anything, inner))
    made = st.lists(anything(inner[0]), max_size=2)
    return made.map(tuple) if origin is tuple else made

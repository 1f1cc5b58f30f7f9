"""Dataclasses to JSON and back; incoming data is checked against the declared type of each field.

    dataclass ──dumps──▶ JSON            decoded JSON ──read──▶ dataclass, or a PayloadMismatch that names the place

A field is a str, a number, a bool, None, a Literal, another dataclass, `X | None`, a list, a tuple, or a dict with str
keys; a field declared as `object` is not checked. It may have another key in JSON (`metadata={"key": "in"}`), be absent
while it is None (`metadata=ABSENT`), and be sent as rows (`metadata=ROWS`).

Not pydantic, whose import and schemas of all requests take 170 ms before the window's first picture (these readers 5),
nor msgspec (4 ms), which neither renames keys of dataclasses nor refuses unknown ones, and knows no rows.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Generator, Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from typing import Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from workflows.common.errors import printable
from workflows.wire.rows import ColumnReader, read_row_chunk, to_row_chunks

T = TypeVar("T")
Reader = Callable[[object], object]
ABSENT = types.MappingProxyType({"absent": True})
"""Metadata of a field whose key is absent in JSON while it is None."""
ROWS = types.MappingProxyType({"rows": True})
"""Metadata of a field that is a list of thousands of dataclasses; see workflows/wire/rows.py."""
ELEMENTS_PER_STEP = 200
"""List elements between two yields of read_in_steps."""
_TYPE_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}
_PLURAL_TYPE_NAMES = {str: "texts", int: "whole numbers", float: "numbers"}


class PayloadMismatch(ValueError):  # noqa: N818 - it describes a payload
    """A payload mismatch: "lacks its 'source'", "needs a text as its 'stages[2].name'", "takes no 'speed'"."""

    def __init__(self, words: str, place: str = "") -> None:
        super().__init__(words, place)
        self.words, self.place = words, place

    def within(self, outer: str) -> PayloadMismatch:
        """The same mismatch, with the place seen from the enclosing object."""
        inner = self.place if not self.place or self.place.startswith("[") else f".{self.place}"
        return PayloadMismatch(self.words, outer + inner)

    def __str__(self) -> str:
        return f"{self.words} {printable(self.place)!r}" if self.place else f"{self.words} content"


class _Field(NamedTuple):
    """A field: its name, reader, declared type, whether JSON must have it, and whether it is sent as rows."""

    name: str
    read: Reader
    kind: object
    required: bool
    rows: bool


class _Key(NamedTuple):
    """A field's key in JSON. absent: omitted while it is None. rows: sent as chunks of rows."""

    key: str
    name: str
    absent: bool
    rows: bool


def dumps(value: object, *, escaped: bool = False, named: bool = False) -> str:
    """One line of JSON. escaped: in ASCII. named: objects instead of rows, for people.

    Dataclasses are converted one at a time: a graph of 20,000 nodes is not copied whole.
    """
    return json.dumps(value, default=partial(to_fields, rows=not named), ensure_ascii=escaped, separators=(",", ":"))


def to_fields(value: object, rows: bool = False) -> dict[str, object]:
    """The keys and values of one dataclass; only rows are converted further. Raises TypeError for other objects."""
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"{type(value).__name__} has no place on the wire")
    found = {one.key: getattr(value, one.name) for one in _keys(type(value))}
    for one in _keys(type(value)):
        if one.absent and found[one.key] is None:
            del found[one.key]
        elif one.rows and rows:
            found[one.key] = to_row_chunks(found[one.key])
    return found


@cache
def _keys(cls: type) -> tuple[_Key, ...]:
    return tuple(
        _Key(str(one.metadata.get("key", one.name)), one.name, "absent" in one.metadata, "rows" in one.metadata)
        for one in fields(cls)
    )


def read(kind: type[T], payload: object) -> T:
    """An object of type `kind` from decoded JSON. Raises PayloadMismatch."""
    return cast(T, _reader(cast(Hashable, kind))(payload))


def read_in_steps(kind: type[T], payload: object) -> Generator[None, None, T]:
    """As `read`, but yields after every few elements of a list. Raises PayloadMismatch."""
    if not is_dataclass(kind) or not isinstance(payload, dict):
        return read(kind, payload)
    known, values = _fields(kind), {}
    for key, value in payload.items():
        field = _known(known, key)
        try:
            values[field.name] = yield from _steps(field, value)
        except PayloadMismatch as error:
            raise error.within(key) from None
    return cast(T, _made(kind, known, values))


def _steps(field: _Field, value: object) -> Generator[None, None, object]:
    origin, inner = get_origin(field.kind), get_args(field.kind)
    if is_dataclass(field.kind) and isinstance(field.kind, type):
        return (yield from read_in_steps(field.kind, value))
    if origin is not list or not isinstance(value, list):
        return field.read(value)
    element, few, found = _reader(inner[0]), ELEMENTS_PER_STEP, list[object]()
    if field.rows:
        element, few = _piece(inner[0]), 1
    for place, one in enumerate(value):
        part = _element(element, place, one)
        found += cast(list[object], part) if field.rows else [part]
        if place % few == 0:
            yield
    return found


# -- readers: one for each type, made once ---------------------------------------------------------------------


@cache
def _reader(kind: object) -> Reader:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is object:
        return lambda value: value
    if kind is float:
        return _number
    if isinstance(kind, type) and kind in _TYPE_NAMES:
        return _plain(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _object(kind)
    if origin is Literal:
        return _literal(inner)
    if origin in (Union, types.UnionType):
        return _either(inner)
    if origin is tuple and inner[-1] is not Ellipsis:
        return _row(inner)
    if origin in (list, tuple):
        return _list(cast(type, origin), inner[0])
    if origin is dict:
        return _dict(inner[1])
    raise TypeError(f"{kind} has no place on the wire")


def _plain(kind: type) -> Reader:
    def take(value: object) -> object:
        if type(value) is not kind:
            raise PayloadMismatch(_needs_text(_TYPE_NAMES[kind]))
        return value

    return take


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PayloadMismatch(_needs_text(_TYPE_NAMES[float]))
    try:
        return float(value)
    except OverflowError:  # a whole number of more digits than a float can be
        raise PayloadMismatch(_needs_text(_TYPE_NAMES[float])) from None


def _literal(known: tuple[object, ...]) -> Reader:
    named = ", ".join(map(str, known))

    def take(value: object) -> object:
        if value not in known:
            raise PayloadMismatch(_needs_text(f"one of {named}"))
        return value

    return take


def _either(kinds: tuple[object, ...]) -> Reader:
    readers = [_reader(kind) for kind in kinds if kind is not type(None)]
    nothing = len(readers) < len(kinds)
    if len(readers) == 1:
        only = readers[0]
        return lambda value: None if value is None and nothing else only(value)

    def take(value: object) -> object:
        if value is None and nothing:
            return None
        for reader in readers[:-1]:
            try:
                return reader(value)
            except PayloadMismatch:
                continue
        return readers[-1](value)

    return take


def _object(cls: type) -> Reader:
    known = _fields(cls)

    def take(value: object) -> object:
        if not isinstance(value, dict):
            raise PayloadMismatch(_needs_text("an object"))
        values = {}
        for key, one in value.items():
            field = _known(known, key)
            try:
                values[field.name] = field.read(one)
            except PayloadMismatch as error:
                raise error.within(key) from None
        return _made(cls, known, values)

    return take


@cache
def _fields(cls: type) -> Mapping[str, _Field]:
    hints, declared = get_type_hints(cls), {one.name: one for one in fields(cls)}
    found = {}
    for one in _keys(cls):
        optional = declared[one.name].default is not MISSING or declared[one.name].default_factory is not MISSING
        hint = hints[one.name]
        reader = _pieces(get_args(hint)[0]) if one.rows else _reader(hint)
        found[one.key] = _Field(one.name, reader, hint, not optional, one.rows)
    return found


@cache
def _piece(cls: type) -> Reader:
    """A piece of rows of a dataclass."""
    columns = [ColumnReader(one.kind, _column(key, one.read)) for key, one in _fields(cls).items()]

    def take(value: object) -> object:
        found = read_row_chunk(cls, columns, value)
        if found is None:
            raise PayloadMismatch(_needs_text(f"rows of {len(columns)}"))
        return found

    return take


def _column(key: str, read: Reader) -> Callable[[tuple[object, ...]], tuple[object, ...]]:
    def cell(value: object) -> object:
        try:
            return read(value)
        except PayloadMismatch as error:
            raise error.within(key) from None

    return lambda values: tuple(_element(cell, place, one) for place, one in enumerate(values))


def _pieces(cls: type) -> Reader:
    piece = _piece(cls)

    def take(value: object) -> object:
        if not isinstance(value, list):
            raise PayloadMismatch(_needs_text("a list of rows"))
        return [row for place, one in enumerate(value) for row in cast(list[object], _element(piece, place, one))]

    return take


def _known(known: Mapping[str, _Field], key: str) -> _Field:
    if key not in known:
        raise PayloadMismatch("takes no", key)
    return known[key]


def _made(cls: type, known: Mapping[str, _Field], values: Mapping[str, object]) -> object:
    if len(values) < len(known):
        for key, field in known.items():
            if field.required and field.name not in values:
                raise PayloadMismatch("lacks its", key)
    return cls(**values)


def _list(make: type, kind: object) -> Reader:
    element = _reader(kind)
    several = _PLURAL_TYPE_NAMES.get(cast(type, kind))
    words = _needs_text(f"a list of {several or 'objects'}" if several or is_dataclass(kind) else "a list")

    def take(value: object) -> object:
        if not isinstance(value, list):
            raise PayloadMismatch(words)
        try:
            return make(_element(element, place, one) for place, one in enumerate(value))
        except PayloadMismatch:
            if several:
                raise PayloadMismatch(words) from None
            raise

    return take


def _element(element: Reader, place: int, value: object) -> object:
    try:
        return element(value)
    except PayloadMismatch as error:
        raise error.within(f"[{place}]") from None


def _row(kinds: tuple[object, ...]) -> Reader:
    readers = [_reader(kind) for kind in kinds]

    def take(value: object) -> object:
        if not isinstance(value, list) or len(value) != len(readers):
            raise PayloadMismatch(_needs_text(f"a list of {len(readers)}"))
        pairs = enumerate(zip(readers, value, strict=True))
        return tuple(_element(reader, place, one) for place, (reader, one) in pairs)

    return take


def _dict(kind: object) -> Reader:
    element = _reader(kind)

    def take(value: object) -> object:
        if not isinstance(value, dict):
            raise PayloadMismatch(_needs_text("an object"))
        found = {}
        for key, one in value.items():
            try:
                found[key] = element(one)
            except PayloadMismatch as error:
                raise error.within(key) from None
        return found

    return take


def _needs_text(what: str) -> str:
    return f"needs {what} as its"

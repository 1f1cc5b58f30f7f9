"""Parses a large JSON line in time slices: outer containers step by step, each inner element at once.

bytes of one line ──decode_in_steps──▶ (yields after every few elements) ──▶ the object
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from typing import Any

LARGE = 200_000
"""Lines of at least so many bytes are parsed in slices; so much takes a few milliseconds."""
_DICTS, _LISTS, _FEW = 3, 4, 50
_SPACE = re.compile(r"[ \t\n\r]*")
_raw = json.JSONDecoder().raw_decode
Parsed = Generator[None, None, tuple[Any, int]]


def decode_in_steps(raw: bytes) -> Generator[None, None, Any]:
    """Returns what `json.loads` returns. Raises ValueError for invalid JSON."""
    text = raw.decode()
    yield
    value, end = yield from _value(text, _skip(text, 0), 0)
    if _skip(text, end) != len(text):
        raise ValueError("there is something after the JSON value")
    return value


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _value(text: str, at: int, depth: int) -> Parsed:
    first = text[at : at + 1]
    if first == "{" and depth < _DICTS:
        return (yield from _dict(text, at, depth))
    if first == "[" and depth < _LISTS:
        return (yield from _list(text, at, depth))
    return _whole(text, at)


def _whole(text: str, at: int) -> tuple[Any, int]:
    try:
        return _raw(text, at)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _dict(text: str, at: int, depth: int) -> Parsed:
    result: dict[str, Any] = {}
    at = _skip(text, at + 1)
    if text[at : at + 1] == "}":
        return result, at + 1
    while True:
        key, at = _raw(text, at)
        at = _expect(text, at, ":")
        result[key], at = yield from _value(text, at, depth + 1)
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return result, at + 1
        at = _expect(text, at, ",")


def _list(text: str, at: int, depth: int) -> Parsed:
    result: list[Any] = []
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return result, at + 1
    while True:
        if text[at : at + 1] == "[":  # a row, or a piece of rows
            value, at = _whole(text, at)
            yield
        else:
            value, at = yield from _value(text, at, depth + 1)
        result.append(value)
        if len(result) % _FEW == 0:
            yield
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return result, at + 1
        at = _expect(text, at, ",")


def _expect(text: str, at: int, sign: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] != sign:
        raise ValueError(f"'{sign}' is missing at character {at}")
    return _skip(text, at + 1)

"""Rows: what came of them is what went in, value for value, whichever way it was read; what does not fit is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from workflows.wire.codec import ROWS, PayloadMismatch, dumps, read
from workflows.wire.rows import ROWS_PER_CHUNK, to_row_chunks


@dataclass
class Before:
    """What is inside of a row."""

    shape: list[int]


@dataclass
class Row:
    """A field of each kind."""

    name: str
    count: int
    rate: float
    axes: list[int | str] | None
    attrs: dict[str, str]
    change: Literal["added", "removed"] | None = None
    was: Before | None = None


@dataclass
class Sheet:
    """Has rows."""

    rows: list[Row] = field(metadata=ROWS)


def sheet(count: int) -> Sheet:
    """Every other row has what may be left out."""
    rows = []
    for place in range(count):
        axes: list[int | str] | None = [place, "n"] if place % 2 else None
        was = Before([place]) if place % 5 == 4 else None
        rows.append(Row(f"r{place}", place, place / 4, axes, {"a": "b"}, "added" if place % 3 else None, was))
    return Sheet(rows)


@pytest.mark.parametrize("count", [0, 1, ROWS_PER_CHUNK, 2 * ROWS_PER_CHUNK + 3])
def test_rows_come_back_as_they_were(count: int) -> None:
    made = sheet(count)
    sent = json.loads(dumps(made))
    assert [len(piece) for piece in sent["rows"]] == [len(piece) for piece in to_row_chunks(made.rows)]
    assert read(Sheet, sent) == made


def test_a_whole_number_in_a_column_of_numbers_is_read_as_one() -> None:
    sent = json.loads(dumps(sheet(3)))
    sent["rows"][0][1][2] = 7
    rate = read(Sheet, sent).rows[1].rate
    assert rate == 7.0 and type(rate) is float


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda rows: put(rows, 0, None), "needs a text as its 'rows[0][1].name'"),
        (lambda rows: put(rows, 1, True), "needs a whole number as its 'rows[0][1].count'"),
        (lambda rows: put(rows, 2, "1"), "needs a number as its 'rows[0][1].rate'"),
        (lambda rows: put(rows, 3, "n"), "needs a list as its 'rows[0][1].axes'"),
        (lambda rows: put(rows, 3, [1.5]), "needs a text as its 'rows[0][1].axes[0]'"),
        (lambda rows: put(rows, 4, {"a": 1}), "needs a text as its 'rows[0][1].attrs.a'"),
        (lambda rows: put(rows, 5, "gone"), "needs one of added, removed as its 'rows[0][1].change'"),
        (lambda rows: put(rows, 6, {"shape": [None]}), "needs a list of whole numbers as its 'rows[0][1].was.shape'"),
        (lambda rows: rows[0][2].append(1), "needs rows of 7 as its 'rows[0]'"),
        (lambda rows: rows.append({}), "needs rows of 7 as its 'rows[1]'"),
        (lambda rows: rows[0].append("row"), "needs rows of 7 as its 'rows[0]'"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(change: Callable[[Any], object], sentence: str) -> None:
    sent = json.loads(dumps(sheet(4)))
    change(sent["rows"])
    with pytest.raises(PayloadMismatch) as caught:
        read(Sheet, sent)
    assert str(caught.value) == sentence


def put(rows: Any, column: int, value: object) -> None:
    """The second row of the first piece has another value."""
    rows[0][1][column] = value

"""A group's table: what it forgets, and that it stays beside its rows as they move and their buffer grows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflows.kvcache.buffers import shift_entries
from workflows.kvcache.cache_inputs import EMPTY
from workflows.kvcache.slot_table import CacheGroup


def group(*table: int) -> CacheGroup:
    return CacheGroup("all", "mask", (0,), None, table=np.array(table, np.int64))


def test_positions_from_a_length_on_are_forgotten() -> None:
    made = group(4, 1, EMPTY, 3)
    made.forget(3)
    assert made.table.tolist() == [EMPTY, 1, EMPTY, EMPTY]
    made.forget(0)
    assert made.table.tolist() == [EMPTY] * 4


@pytest.mark.parametrize(
    ("by", "capacity", "left"),
    [
        (2, 4, [2, 3, EMPTY, EMPTY]),
        (0, 4, [0, 1, 2, 3]),
        (-1, 4, [EMPTY, 0, 1, 2]),
        (1, 2, [EMPTY, EMPTY, 3, EMPTY]),
        (9, 4, [EMPTY] * 4),
        (-9, 4, [EMPTY] * 4),
    ],
)
def test_a_table_slides(by: int, capacity: int, left: list[int]) -> None:
    made = group(0, 1, 2, 3)
    made.slide(by, capacity)
    assert made.table.tolist() == left


@given(st.integers(1, 9), st.integers(-12, 12))
def test_what_a_table_says_of_a_slot_is_true_of_its_row(slots: int, by: int) -> None:
    made, rows = group(*range(slots)), np.arange(slots)
    made.slide(by, slots)
    shift_entries(rows, by)
    assert all(rows[slot] == position for slot, position in enumerate(made.table) if position != EMPTY)
    assert np.count_nonzero(made.table != EMPTY) == max(0, slots - abs(by))


@pytest.mark.parametrize(
    ("slots", "at_end", "kept"),
    [(5, False, [7, 8, 9, EMPTY, EMPTY]), (5, True, [EMPTY, EMPTY, 7, 8, 9]), (2, False, [7, 8]), (2, True, [8, 9]),
     (0, True, [])],
)  # fmt: skip
def test_a_table_grows_and_shrinks_as_its_buffer(slots: int, at_end: bool, kept: list[int]) -> None:
    made = group(7, 8, 9)
    made.resize(slots, min(slots, made.used_span(at_end)), at_end)
    assert made.table.tolist() == kept


@pytest.mark.parametrize(
    ("table", "left", "right"),
    [((EMPTY, EMPTY, EMPTY), 0, 0), ((4, EMPTY, 5), 3, 3), ((EMPTY, 4, EMPTY), 2, 2), ((4, EMPTY, EMPTY), 1, 3)],
)
def test_slots_are_taken_up_to_the_last_token_from_where_rows_begin(
    table: tuple[int, ...], left: int, right: int
) -> None:
    made = group(*table)
    assert (made.used_span(at_end=False), made.used_span(at_end=True)) == (left, right)

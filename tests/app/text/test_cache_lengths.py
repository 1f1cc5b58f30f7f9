"""Lengths of a cache as text."""

from __future__ import annotations

import pytest

from app.text.cache_lengths import format_lengths


@pytest.mark.parametrize(
    ("ranges", "text"),
    [
        ([], ""),
        ([(0, 0)], "0"),
        ([(0, 0), (81, 100)], "0 and 81–100"),
        ([(0, 0), (16, 16), (32, 32), (40, 40)], "0, 16, 32 and 40"),
        ([(n * 1000, n * 1000) for n in range(12)], "0, 1,000, …, 7,000, 8,000, 9,000, 10,000 and 11,000"),
    ],
)
def test_lengths(qapp: object, ranges: list[tuple[int, int]], text: str) -> None:
    assert format_lengths(ranges) == text

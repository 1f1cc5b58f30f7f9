"""Numbers as a person reads them: rounded and not cut, in the unit that fits, in the locale's way of writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QLocale

from app.text.formatting import (
    cache_label,
    compact_number,
    format_bytes,
    format_duration,
    format_local_time,
    format_microseconds,
    format_milliseconds,
    format_number,
    format_token_rate,
)


@pytest.fixture
def german() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (format_number, 0, "0"),
        (format_number, 4096, "4,096"),
        (format_number, -1234.6, "-1,235"),
        (format_number, 99.9, "100"),
        (format_bytes, 0, "0 B"),
        (format_bytes, 999, "999 B"),
        (format_bytes, 1000, "1.0 KiB"),
        (format_bytes, 1536, "1.5 KiB"),
        (format_bytes, 240.7 * 2**20, "241 MiB"),
        (format_bytes, 1.2 * 2**30, "1.2 GiB"),
        (format_bytes, 3 * 2**40, "3.0 TiB"),
        (compact_number, 950, "950"),
        (compact_number, 1_234, "1.2 K"),
        (compact_number, 494_032_768, "494 M"),
        (compact_number, 7_615_616_512, "7.6 B"),
        (format_duration, 0.44, "0.4 s"),
        (format_duration, 12.4, "12 s"),
        (format_duration, 59.7, "1 min 0 s"),
        (format_duration, 185, "3 min 5 s"),
        (format_duration, 3599.6, "1 h 0 min"),
        (format_milliseconds, 3.14, "3.1 ms"),
        (format_milliseconds, 240.9, "241 ms"),
        (format_microseconds, 3.21, "3.2 µs"),
        (format_microseconds, 240.6, "241 µs"),
        (format_microseconds, 1_600, "1.6 ms"),
        (format_microseconds, 250_700, "251 ms"),
        (format_token_rate, 48.21, "48.2 tok/s"),
        (format_token_rate, 199.8, "200 tok/s"),
    ],
)
def test_a_value_stands_in_the_unit_that_fits(
    qapp: object, write: Callable[[float], str], value: float, text: str
) -> None:
    assert write(value) == text


@settings(max_examples=50)
@given(st.floats(0, 1e15))
def test_a_size_is_short_and_of_the_right_magnitude(value: float) -> None:
    figure, _, unit = format_bytes(value).partition(" ")
    factor = 1024 ** ("B", "KiB", "MiB", "GiB", "TiB").index(unit)
    written = float(figure.replace(",", ""))
    assert written <= 1000 or unit == "TiB"
    assert abs(written * factor - value) <= (0.5 if unit == "B" or written >= 100 else 0.05) * factor * 1.001


def test_the_locale_writes_the_separators(qapp: object, german: None) -> None:
    assert (format_number(4096), format_number(3.14159, 2), format_token_rate(48.2)) == ("4.096", "3,14", "48,2 tok/s")


@pytest.mark.parametrize(
    ("layout", "capacity", "text"),
    [
        ("static", 4096, "static 4,096"),
        ("static", None, "static"),
        ("", 4096, ""),
        ("", None, ""),
        ("state", 4096, "state"),
    ],
)
def test_a_cache_in_short(qapp: object, layout: str, capacity: int | None, text: str) -> None:
    assert cache_label(layout, capacity) == text


def test_what_is_no_time_stands_as_it_is(qapp: object) -> None:
    assert format_local_time("yesterday") == "yesterday" and format_local_time("") == ""
    one, same = format_local_time("2026-01-02T03:04:05+00:00"), format_local_time("2026-01-02T05:04:05+02:00")
    assert one == same != format_local_time("2026-01-02T03:05:05+00:00")

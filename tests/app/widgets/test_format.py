"""Numbers as a person reads them: rounded and not cut, in the unit that fits, in the locale's way of writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QLocale

from app.widgets.format import count, microseconds, milliseconds, number, rate, seconds, size, slots, split_unit, when


@pytest.fixture
def german() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (number, 0, "0"),
        (number, 4096, "4,096"),
        (number, -1234.6, "-1,235"),
        (number, 99.9, "100"),
        (size, 0, "0 B"),
        (size, 999, "999 B"),
        (size, 1000, "1.0 KiB"),
        (size, 1536, "1.5 KiB"),
        (size, 240.7 * 2**20, "241 MiB"),
        (size, 1.2 * 2**30, "1.2 GiB"),
        (size, 3 * 2**40, "3.0 TiB"),
        (count, 950, "950"),
        (count, 1_234, "1.2 K"),
        (count, 494_032_768, "494 M"),
        (count, 7_615_616_512, "7.6 B"),
        (seconds, 0.44, "0.4 s"),
        (seconds, 12.4, "12 s"),
        (seconds, 59.7, "1 min 0 s"),
        (seconds, 185, "3 min 5 s"),
        (seconds, 3599.6, "1 h 0 min"),
        (milliseconds, 3.14, "3.1 ms"),
        (milliseconds, 240.9, "241 ms"),
        (microseconds, 3.21, "3.2 µs"),
        (microseconds, 240.6, "241 µs"),
        (microseconds, 1_600, "1.6 ms"),
        (microseconds, 250_700, "251 ms"),
        (rate, 48.21, "48.2 tok/s"),
        (rate, 199.8, "200 tok/s"),
    ],
)
def test_a_value_stands_in_the_unit_that_fits(
    qapp: object, write: Callable[[float], str], value: float, text: str
) -> None:
    assert write(value) == text


@settings(max_examples=50)
@given(st.floats(0, 1e15))
def test_a_size_is_short_and_of_the_right_magnitude(value: float) -> None:
    figure, unit = split_unit(size(value))
    factor = 1024 ** ("B", "KiB", "MiB", "GiB", "TiB").index(unit)
    written = float(figure.replace(",", ""))
    assert written <= 1000 or unit == "TiB"
    assert abs(written * factor - value) <= (0.5 if unit == "B" or written >= 100 else 0.05) * factor * 1.001


def test_the_locale_writes_the_separators(qapp: object, german: None) -> None:
    assert (number(4096), number(3.14159, 2), rate(48.2)) == ("4.096", "3,14", "48,2 tok/s")


@pytest.mark.parametrize(
    ("layout", "capacity", "text"),
    [("static", 4096, "static 4,096"), ("static", None, "static"), ("", 4096, ""), ("", None, "")],
)
def test_a_cache_in_short(qapp: object, layout: str, capacity: int | None, text: str) -> None:
    assert slots(layout, capacity) == text


def test_what_is_no_time_stands_as_it_is(qapp: object) -> None:
    assert when("yesterday") == "yesterday" and when("") == ""
    one, same = when("2026-01-02T03:04:05+00:00"), when("2026-01-02T05:04:05+02:00")
    assert one == same != when("2026-01-02T03:05:05+00:00")

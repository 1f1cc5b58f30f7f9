"""JSON of others has one meaning, or is refused in words that say what of it is wrong."""

from __future__ import annotations

import math

import pytest

from workflows.common.strict_json import InvalidJsonError, read_json

HALF = "holds half a character"
TWICE = "has the key 'a' twice, which leaves open what it means"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is not JSON"),
        (b"\xff\xfe{}", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("9" * 5000, "is not JSON"),  # Python reads no number of so many digits
        ('{"a": 1, "a": 1}', TWICE),
        ('{"b": [{"a": 1, "b": {}, "\\u0061": null}]}', TWICE),
        (r'["\ud800"]', HALF),
        (r'{"\uDFff": 1}', HALF),
        (r'["\ud83d\ude00", "\ude00\ud83d"]', HALF),
    ],
)
def test_what_has_no_meaning_or_two(text: str | bytes, why: str) -> None:
    with pytest.raises(InvalidJsonError) as raised:
        read_json(text)
    assert str(raised.value) == why


def test_many_keys_cost_little() -> None:
    """A vocabulary with one word twice is told at once, not word against word."""
    words = ", ".join(f'"{number}": {number}' for number in range(200_000))
    with pytest.raises(InvalidJsonError, match="has the key '7' twice"):
        read_json(f'{{{words}, "7": 0}}')


def test_what_has_one() -> None:
    assert read_json(b'\xef\xbb\xbf{"a": {"a": [1, {"a": null}]}}') == {"a": {"a": [1, {"a": None}]}}
    assert read_json(r'"\ud83d\ude00 \\ud800"') == "\U0001f600 \\ud800"
    assert read_json('{"time_step_limit": [0.0, Infinity]}') == {"time_step_limit": [0.0, math.inf]}
    with pytest.raises(InvalidJsonError, match="is not JSON"):
        read_json("NaN", endless=False)

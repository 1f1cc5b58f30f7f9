"""What a person types as a file's name."""

from __future__ import annotations

import pytest

from app.widgets.file_suffix import with_file_suffix


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("a/chart", "a/chart.png"),
        ("a/chart.PNG", "a/chart.PNG"),
        ("a/chart.svg", "a/chart.svg"),
        ("a/qwen3-0.6B", "a/qwen3-0.6B.png"),  # 6B is no ending
        ("a.b/.hidden", "a.b/.hidden.png"),
    ],
)
def test_a_name_without_an_ending_gets_the_one_that_was_requested(typed: str, path: str) -> None:
    assert with_file_suffix(typed, ".png", ".svg").as_posix() == path

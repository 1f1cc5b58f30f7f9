"""What the window says is true after any sequence of actions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.sequences import walk

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


@pytest.mark.parametrize("seed", [0, 1])
def test_sequences(tmp_path: Path, qapp: object, seed: int) -> None:
    with walk(tmp_path, seed) as one:
        for _ in range(10):
            one.sequence()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_three_hundred_sequences(tmp_path: Path, qapp: object, seed: int) -> None:
    with walk(tmp_path, seed) as one:
        for _ in range(25):
            one.sequence()

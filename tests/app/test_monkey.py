"""A short run of the monkey: no exception, and what the window says is true after each of its actions."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from tests.app.monkey import Monkey
from tests.app.sequences import walk

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", "Keyboard event not accepted")


@pytest.fixture(autouse=True)
def shielded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `tests.app.monkey.shield`, until the end of the test."""
    for name, answer in (
        ("getOpenFileName", ("", "")),
        ("getSaveFileName", ("", "")),
        ("getOpenFileNames", ([], "")),
        ("getExistingDirectory", ""),
    ):
        monkeypatch.setattr(QFileDialog, name, lambda *_, answer=answer, **__: answer)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda *_: True)


@pytest.mark.parametrize("seed", [11])
def test_actions_at_random(tmp_path: Path, qapp: object, seed: int) -> None:
    with walk(tmp_path, seed) as one:
        monkey = Monkey(one, seed)
        for _ in range(250):
            monkey.act()

"""A field for a path with its button: what it is called, who has the focus, and that there is one of its kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QPushButton

import app
from app.widgets.path_field import FolderField


class Made(FolderField):
    def start(self) -> str:
        return "/begin"


@pytest.mark.parametrize("kind", [QLineEdit, QComboBox])
@pytest.mark.parametrize("answer", ["/picked", ""])
def test_the_button_asks_under_the_fields_name(
    qtbot: Any, monkeypatch: pytest.MonkeyPatch, kind: type, answer: str
) -> None:
    field = kind()
    field.setAccessibleName("Bundle")
    made, asked, picked = Made(field), list[tuple[str, str]](), list[str]()
    qtbot.addWidget(made)
    made.picked.connect(picked.append)
    monkeypatch.setattr(
        QFileDialog, "getExistingDirectory", lambda _, name, start: asked.append((name, start)) or answer
    )
    (browse,) = made.findChildren(QPushButton)
    browse.click()
    assert asked == [("Bundle", "/begin")] and picked == [answer] * bool(answer)
    assert browse.accessibleName() == browse.toolTip() == "Choose a folder" and made.focusProxy() is field


def test_an_icon_alone_beside_a_field_is_this_one() -> None:
    root = Path(app.__file__).parent
    found = [path.name for path in root.rglob("*.py") if 'button("", "folder"' in path.read_text("utf-8")]
    assert found == ["path_field.py"]

"""Dropped files stay where they are, whatever the file manager proposes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from app.builder.drop_zone import DropZone
from app.window import MainWindow
from tests.app.conftest import make_bundle

MOVE, COPY = Qt.DropAction.MoveAction, Qt.DropAction.CopyAction


@pytest.mark.parametrize("target", ["window", "zone"])
def test_a_drop_moves_no_file(qtbot: Any, make_window: Callable[..., MainWindow], tmp_path: Path, target: str) -> None:
    widget: QWidget = make_window() if target == "window" else DropZone("here")
    if target == "zone":
        qtbot.addWidget(widget)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(make_bundle(tmp_path / "b")))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPointF(), MOVE | COPY, data, buttons, keys)
    event.setDropAction(MOVE)
    widget.dropEvent(event)
    assert event.isAccepted() and event.dropAction() == COPY

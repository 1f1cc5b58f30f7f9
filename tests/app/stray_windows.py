"""Finds widgets that are shown before they have a parent: for a moment each is a window and takes the focus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QWindow


@contextmanager
def no_stray_windows() -> Iterator[None]:
    """Fails where a window without a title had the focus; menus, tips and dialogs are windows of other types."""
    application, strays = QGuiApplication.instance(), list[str]()
    assert isinstance(application, QGuiApplication)

    def note(window: QWindow | None) -> None:
        if window is not None and window.type() == Qt.WindowType.Window and not window.title():
            strays.append(window.objectName())  # Qt names it by the widget's class

    application.focusWindowChanged.connect(note)
    try:
        yield
    finally:
        application.focusWindowChanged.disconnect(note)
    assert not strays, f"shown before they had a parent: {strays}"

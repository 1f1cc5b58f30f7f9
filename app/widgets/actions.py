"""Icon buttons and the actions of pages: found by Ctrl+K, triggered by keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QToolButton, QWidget

from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import set_icon


def tool_button(icon: str, tip: str, color: str = "text") -> QToolButton:
    """A button that shows an icon only. tip: what it does; color: of the theme."""
    result = QToolButton()
    set_icon(result, icon, color)
    set_tool_tip(result, tip)
    result.setAccessibleName(tip)
    return result


def add_action(parent: QWidget, text: str, act: Callable[[], object], keys: str = "", icon: str = "") -> QAction:
    """Add an action to `parent`. Ctrl+K finds it while it is enabled; `keys` work while the focus is inside it."""
    result = QAction(text, parent)
    if keys:
        result.setShortcut(QKeySequence(keys))
        result.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    if icon:
        set_icon(result, icon)
    result.triggered.connect(lambda _checked=False: act())
    parent.addAction(result)
    return result

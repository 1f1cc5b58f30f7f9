"""Icon buttons, buttons with a menu, and the actions of pages: found by Ctrl+K, triggered by keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction, QFocusEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton, QWidget

from app.widgets.basics import button
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import set_icon

Act = Callable[[], object]


def tool_button(
    icon: str, tip: str, color: str = "text", clicked: Act | None = None, checked: bool | None = None
) -> QToolButton:
    """A button that shows an icon only. tip: what it does; color: of the theme; checked: None for no switch."""
    result = QToolButton()
    set_icon(result, icon, color)
    set_tool_tip(result, tip)
    result.setAccessibleName(tip)
    if clicked is not None:
        result.clicked.connect(lambda _checked=False: clicked())
    if checked is not None:
        result.setCheckable(True)
        result.setChecked(checked)
    return result


def menu_button(
    text: str, icon: str, entries: Iterable[tuple[str, str]], chosen: Callable[[str], object]
) -> QPushButton:
    """A button with a menu of (text, value); `chosen` receives a value."""
    result = button(text, icon)
    menu = QMenu(result)
    for entry, value in entries:
        menu.addAction(entry).triggered.connect(lambda _checked=False, value=value: chosen(value))
    result.setMenu(menu)
    return result


def add_action(parent: QWidget, text: str, act: Act, keys: str = "", icon: str = "") -> QAction:
    """Add an action to `parent`. Ctrl+K finds it while it is enabled; `keys` work in its window while it is visible."""
    result = QAction(text, parent)
    if keys:
        result.setShortcut(QKeySequence(keys))
    if icon:
        set_icon(result, icon)
    result.triggered.connect(lambda _checked=False: act())
    parent.addAction(result)
    return result


class FocusForwarder(QObject):
    """Gives the focus that a page receives to one of its widgets.

    A focus proxy would do so too, but Tab then skips all widgets before it.
    """

    def __init__(self, page: QWidget, heir: QWidget) -> None:
        super().__init__(page)
        self._heir = heir
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name."""
        if isinstance(event, QFocusEvent) and event.gotFocus():
            self._heir.setFocus(event.reason())
        return super().eventFilter(watched, event)

"""The wheel over every page: no number and no choice changes unless a person put the focus there."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QScrollArea, QSpinBox, QVBoxLayout, QWidget

from app.builder.step_page import RECIPE, SOURCE
from app.main import PAGES
from app.state.unsaved_recipe import DEMO
from app.window import MainWindow


def turn(field: QWidget, notches: int) -> None:
    """As the system does it: the window under the pointer gets the event."""
    window = field.window()
    at = QPointF(field.mapTo(window, field.rect().center()))
    none = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    turned = QPoint(0, 120 * notches)
    wheel = QWheelEvent(at, window.mapToGlobal(at), QPoint(), turned, *none, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(window.windowHandle(), wheel)


def said(field: QWidget) -> str:
    assert isinstance(field, QComboBox | QAbstractSpinBox)
    return field.currentText() if isinstance(field, QComboBox) else field.text()


def reachable(page: QWidget) -> list[QWidget]:
    """The fields that a pointer can be over."""
    window = page.window()
    fields: list[QWidget] = [*page.findChildren(QComboBox), *page.findChildren(QAbstractSpinBox)]
    seen = [(field, window.childAt(field.mapTo(window, field.rect().center()))) for field in fields]
    return [field for field, under in seen if under is not None and (under is field or field.isAncestorOf(under))]


def turned_fields(name: str, page: QWidget) -> int:
    """How many fields the wheel was turned over; none has changed."""
    fields = [field for field in reachable(page) if not field.hasFocus()]
    for field in fields:
        before = said(field)
        for notches in (-1, 1, 1):
            turn(field, notches)
        assert said(field) == before and not field.hasFocus(), f"{name}: {field.accessibleName()}"
    return len(fields)


def test_no_field_of_any_page_follows_the_wheel(qtbot: Any, make_window: Callable[..., MainWindow]) -> None:
    window = make_window()
    window.resize(1920, 1400)
    seen = 0
    wizard: Any = window.stack.page("build").wizard  # type: ignore[attr-defined]
    window.context.unsaved_recipe.probe(DEMO)
    qtbot.waitUntil(wizard.steps[SOURCE].isComplete)
    wizard.next()
    qtbot.waitUntil(wizard.steps[RECIPE].isComplete)
    chat: Any = window.stack.page("chat")
    chat.side.setVisible(True)  # it is folded at first
    for page in PAGES:
        window.show_page(page.name)
        found = window.stack.page(page.name)
        for tab in range(chat.panel.tabs.count() if found is chat else 1):
            chat.panel.tabs.setCurrentIndex(tab)
            found.setFocus()
            seen += turned_fields(page.name, found)
    assert seen > 8
    qtbot.waitUntil(lambda: not window.context.probe_worker.busy)


def test_a_field_with_the_focus_follows_it_and_another_leaves_it_to_what_is_around(qtbot: Any) -> None:
    area, content, spin = QScrollArea(), QWidget(), QSpinBox()
    spin.setRange(0, 10)
    spin.setValue(5)
    QVBoxLayout(content).addWidget(spin, 0, Qt.AlignmentFlag.AlignTop)
    content.setFixedSize(200, 2000)
    area.setWidget(content)
    qtbot.addWidget(area)
    area.show()
    area.activateWindow()
    qtbot.waitUntil(area.isActiveWindow)
    spin.clearFocus()
    turn(spin, 1)
    assert (spin.value(), area.verticalScrollBar().value() > 0, spin.hasFocus()) == (5, False, False)
    turn(spin, -1)
    scrolled = area.verticalScrollBar().value()
    assert spin.value() == 5 and scrolled > 0 and not spin.hasFocus()
    area.verticalScrollBar().setValue(0)
    spin.setFocus()
    turn(spin, -1)
    assert area.verticalScrollBar().value() == 0  # it is the field's own


def test_garbage_that_is_found_meanwhile_does_no_harm() -> None:
    """A search for garbage begins at each of the objects that the guard makes, while 40 windows are garbage.

    A list of all windows names them: PySide wraps each, and a search between two destroys those that are still to come.
    """
    done = subprocess.run([sys.executable, "-c", AMONG_GARBAGE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_list_of_all_windows_is_asked_for() -> None:
    """Each can end the program so."""
    files = sorted((Path(__file__).parents[2] / "app").rglob("*.py"))
    lists = re.compile(r"\b(allWidgets|topLevelWidgets|topLevelWindows|allWindows)\(\)")
    named = [path.name for path in files if lists.search(path.read_text("utf-8"))]
    assert len(files) > 200 and not named


AMONG_GARBAGE = """
import gc
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QSpinBox, QWidget
from app.widgets.wheel_guard import guard_wheel

class Garbage(QWidget):
    def __init__(self):
        super().__init__()
        self.cycle = self

app = QApplication([])
guard = guard_wheel(app)
top = QWidget()
field = QSpinBox(top)
top.resize(200, 100)
top.show()
app.processEvents()
app.focusWindowChanged.emit(top.windowHandle())
at = QPointF(field.rect().center())
for number in range(400):
    gc.disable()
    for _ in range(40):
        Garbage()
    event = QWheelEvent(at, at, QPoint(), QPoint(0, 120), Qt.NoButton, Qt.NoModifier, Qt.NoScrollPhase, False)
    window = top.windowHandle()
    gc.set_threshold(gc.get_count()[0] + number % 40 + 1)
    gc.enable()
    app.sendEvent(window, event)
    gc.disable()
    gc.collect()
assert field.value() == 0
"""

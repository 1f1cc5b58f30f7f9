"""The wheel over every page: no number and no choice changes unless a person put the focus there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QSpinBox, QWidget

from app.main import PAGES
from app.state.draft import DEMO
from app.window import MainWindow


def turn(field: QWidget, notches: int = -3) -> QWheelEvent:
    at = QPointF(field.rect().center())
    none = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    turned = QPoint(0, 120 * notches)
    wheel = QWheelEvent(at, field.mapToGlobal(at), QPoint(), turned, *none, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(field, wheel)
    return wheel


def said(field: QWidget) -> str:
    assert isinstance(field, QComboBox | QAbstractSpinBox)
    return field.currentText() if isinstance(field, QComboBox) else field.text()


def test_no_field_of_any_page_follows_the_wheel(qtbot: Any, make_window: Callable[..., MainWindow]) -> None:
    window = make_window()
    window.context.draft.probe(DEMO)
    qtbot.waitUntil(lambda: window.context.draft.plan is not None)
    seen = 0
    for page in PAGES:
        window.show_page(page.name)
        found = window.page(page.name)
        fields = [*found.findChildren(QComboBox), *found.findChildren(QAbstractSpinBox)]
        found.setFocus()
        before = [said(field) for field in fields]
        for field in fields:
            assert not turn(field).isAccepted(), f"{page.name}: {field.accessibleName()}"
            turn(field, 3)
        assert [said(field) for field in fields] == before, page.name
        seen += len(fields)
    assert seen > 10
    qtbot.waitUntil(lambda: not window.context.probe_worker.busy)


def test_a_field_with_the_focus_follows_it(qtbot: Any) -> None:
    spin = QSpinBox()
    spin.setRange(0, 10)
    spin.setValue(5)
    qtbot.addWidget(spin)
    spin.show()
    spin.activateWindow()
    qtbot.waitUntil(spin.isActiveWindow)
    spin.clearFocus()
    assert spin.focusPolicy() == Qt.FocusPolicy.StrongFocus  # the wheel brings no focus of its own
    turn(spin, 1)
    assert spin.value() == 5
    spin.setFocus()
    turn(spin, 1)
    assert spin.value() == 6

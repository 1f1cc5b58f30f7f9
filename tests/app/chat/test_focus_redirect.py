"""What the focus does when its widget goes, also while the whole page does."""

from __future__ import annotations

from typing import Any

import pytest
import shiboken6
from PySide6.QtWidgets import QPushButton, QWidget

from app.chat.page import FocusRedirect
from app.widgets.layouts import vbox

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


def test_a_page_that_is_destroyed_moves_no_focus(qtbot: Any) -> None:
    """Qt says that the focus moved while the page's own widget is gone already."""
    area, first, second = QWidget(), QPushButton("a"), QPushButton("b")
    qtbot.addWidget(second)
    vbox(first, parent=area)
    redirect = FocusRedirect(area, lambda: second)
    redirect.setParent(second)  # it outlives the area, as its connection does for a moment
    area.show()
    shiboken6.delete(area)
    redirect._on_moved(second, None)
    assert not second.hasFocus()

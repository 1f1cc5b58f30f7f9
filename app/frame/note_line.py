"""The notes in the status line and the banner of errors; neither moves the page."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.state.notes import Note, Notes
from app.widgets.basics import Banner, ElidedLabel, label
from app.widgets.layouts import hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon


class NoteLine(QWidget):
    """The newest valid note: one elided line, its buttons and a cross. Hidden without a note."""

    def __init__(self, notes: Notes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._notes = notes
        self._note: Note | None = None
        sign = label()
        set_icon(sign, "info", "accent", 14)
        self._text = ElidedLabel("", "small")
        self.action, self.second, self.close_button = QToolButton(), QToolButton(), QToolButton()
        for place in (self.action, self.second):
            place.clicked.connect(lambda _checked=False, place=place: notes.act(self._note, place.text()))
        self.close_button.clicked.connect(lambda _checked=False: notes.drop(self._note))
        for one in (self.action, self.second, self.close_button):
            one.setFixedHeight(3 * G)
            one.setIconSize(QSize(14, 14))
            one.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            one.setStyleSheet("QToolButton { padding: 0 6px; font-size: 12px; }")
        self.close_button.setAccessibleName(self.tr("Dismiss"))
        set_tool_tip(self.close_button, self.tr("Dismiss"))
        set_icon(self.close_button, "close", "muted")
        hbox(sign, (self._text, 1), self.action, self.second, self.close_button, parent=self)
        notes.changed.connect(self.refresh)
        self.refresh()

    @property
    def message(self) -> str:
        """The shown text; empty without a note."""
        return self._note.message if self._note else ""

    def refresh(self) -> None:
        note = self._note = self._notes.shown(error=False)
        self.setHidden(note is None)
        if note is not None:
            self._text.set_whole(note.message)
            self.setAccessibleName(note.message)
            names = [*note.actions, "", ""]
            for place, name in zip((self.action, self.second), names, strict=False):
                place.setText(name)
                place.setAccessibleName(name)
                place.setHidden(not name)


class ErrorBanner(Banner):
    """The newest valid error."""

    def __init__(self, notes: Notes) -> None:
        super().__init__()
        self._notes = notes
        self._note: Note | None = None
        self.triggered.connect(lambda: notes.act(self._note))
        self.dismissed.connect(lambda: notes.drop(self._note))
        notes.changed.connect(self.refresh)

    def refresh(self) -> None:
        before, self._note = self._note, self._notes.shown(error=True)
        if self._note is None:
            self.clear()
        elif self._note is not before:
            self.error(self._note.message, self._note.details, next(iter(self._note.actions), ""))

"""A code block in a reply: framed, with its language and a button that copies it; long lines scroll."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QResizeEvent, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.chat.draft_underlines import DraftUnderlines, literal_spans
from app.chat.segments import Segment
from app.widgets import button, label
from app.widgets.basics import make_frameless
from app.widgets.layouts import STYLE_SPACING, hbox, vbox
from app.widgets.theme import G, mono_font
from workflows.wire.events import TokenEvent

SAID_MS = 1500


class CodeBlock(QFrame):
    """Shows a segment of code; while it streams, text is added at its end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.language = label("", "small", selectable=False)
        self.copy = button(self.tr("Copy"), "copy", "link", self._copy)
        self.copy.setAccessibleName(self.tr("Copy the code"))
        self.text = _Code()
        self.text.setAccessibleName(self.tr("Code"))
        self.underlines = DraftUnderlines(self.text.document(), self)
        self.set_trace((), 0)
        self._copied_timer = QTimer(self, singleShot=True, interval=SAID_MS)
        self._copied_timer.timeout.connect(lambda: self.copy.setText(self.tr("Copy")))
        head = hbox((self.language, 1), self.copy, spacing=STYLE_SPACING)
        vbox(head, self.text, spacing=0, margins=(G, G // 2, G, G // 2), parent=self)

    def show_segment(self, segment: Segment) -> None:
        """Shows the code so far, or all of it."""
        self.language.setText(segment.language or self.tr("code"))
        self.text.extend_text(segment.text)

    def set_trace(self, tokens: Sequence[TokenEvent], begin: int) -> None:
        """Sets the tokens that the code begins in at `begin`; none if they are not known."""
        self.underlines.clear()
        self._tokens, self._begin = tokens, begin

    def underline_drafts(self, on: bool) -> None:
        """Underlines drafted tokens, or none."""
        if on and any(token.drafted for token in self._tokens):
            self.underlines.draw(literal_spans(self._tokens, self.text.toPlainText(), self._begin))
        else:
            self.underlines.clear()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.copy.setText(self.tr("Copied"))
        self._copied_timer.start()


class _Code(QPlainTextEdit):
    """As high as its lines. Wide lines scroll inside; the wheel scrolls the transcript."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFont(mono_font())
        make_frameless(self)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.horizontalScrollBar().rangeChanged.connect(lambda _low, _high: self._fit())
        self._fit()

    def extend_text(self, text: str) -> None:
        """Shows `text`, whose beginning may be shown already."""
        shown = self.toPlainText()
        if shown and text.startswith(shown):
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(text[len(shown) :])
        elif text != shown:
            self.setPlainText(text)
        self._fit()

    def _fit(self) -> None:
        bar = self.horizontalScrollBar()
        bar_height = bar.sizeHint().height() if bar.maximum() > 0 else 0
        lines = max(self.blockCount(), 1) * self.fontMetrics().lineSpacing()
        self.setFixedHeight(lines + 2 * int(self.document().documentMargin()) + bar_height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: the scroll bar may come or go."""
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt's name: sideways it scrolls the code, else the transcript."""
        if event.angleDelta().x() or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            super().wheelEvent(event)
        else:
            event.ignore()

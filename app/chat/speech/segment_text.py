"""The segments of a transcript as text: the time of each is a link that leads to its place in the recording.

TranscriptSegment … ──▶ a line each, time and text;   click, Enter ──▶ chosen(segment)
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from app.chat.message_text import MessageText
from app.state.conversation import TranscriptSegment
from app.text.formatting import format_position
from app.widgets.spoken_selection import SpokenSelection
from app.widgets.theme import theme


class SegmentText(MessageText):
    """A line per segment. Up and Down choose one, Enter or Space plays it; the text is selectable."""

    chosen = Signal(int)  # the segment's place

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.segments: list[TranscriptSegment] = []
        self.current = -1
        """The segment that is marked; -1 for none."""
        self.spoken = SpokenSelection(self, self.tr("Segments of the transcript"))
        self.setAccessibleDescription(self.tr("Up and Down choose a segment, Enter plays the recording from there."))
        theme().changed.connect(self._redraw)

    def show_segments(self, segments: Sequence[TranscriptSegment]) -> None:
        """Shows these segments, whose beginning may be shown already."""
        if list(segments[: len(self.segments)]) != self.segments:
            self.clear()
            self.segments = []
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        plain, link = QTextCharFormat(), QTextCharFormat()
        link.setAnchor(True)
        link.setFontUnderline(True)
        link.setForeground(theme().color("accent"))
        for place, one in enumerate(segments[len(self.segments) :], len(self.segments)):
            if place:
                cursor.insertBlock()
            link.setAnchorHref(str(place))
            cursor.insertText(f"{format_position(one.start)} – {format_position(one.end)}", link)
            cursor.insertText(f"  {one.text}", plain)
        self.segments = list(segments)

    def mark(self, place: int) -> None:
        """Marks a segment; -1 for none."""
        if place == self.current:
            return
        self.current = place
        self.spoken.select(self._line(place) if place >= 0 else "")
        self._show_mark()

    def mark_at(self, seconds: float) -> None:
        """Marks the segment that is heard at a time, if there is one."""
        self.mark(next((i for i, one in enumerate(self.segments) if one.start <= seconds < one.end), -1))

    def _line(self, place: int) -> str:
        one = self.segments[place]
        return f"{format_position(one.start)}: {one.text}"

    def _show_mark(self) -> None:
        selections = []
        if self.current >= 0:
            block = self.document().findBlockByNumber(self.current)
            one = QTextEdit.ExtraSelection()
            one.cursor = QTextCursor(block)
            one.cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            tint = theme().color("accent")
            tint.setAlpha(60)
            one.format.setBackground(tint)
            selections.append(one)
        self.setExtraSelections(selections)

    def _redraw(self) -> None:
        """Shows the links in the colors of another theme."""
        segments, self.segments = self.segments, []
        self.clear()
        self.show_segments(segments)
        self._show_mark()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: a hand over the links."""
        super().mouseMoveEvent(event)
        link = bool(self.anchorAt(event.position().toPoint()))
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt's name: a click on a link; a selection that ends there is none."""
        super().mouseReleaseEvent(event)
        place = self.anchorAt(event.position().toPoint())
        if place and event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self._choose(int(place))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: keys choose a segment."""
        key, last = event.key(), len(self.segments) - 1
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.current >= 0:
            self._choose(self.current)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and last >= 0 and not event.modifiers():
            self.mark(max(0, min(self.current + (1 if key == Qt.Key.Key_Down else -1), last)))
        else:
            super().keyPressEvent(event)

    def _choose(self, place: int) -> None:
        self.mark(place)
        self.chosen.emit(place)

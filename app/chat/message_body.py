"""The text of one message as widgets: prose, code, thinking. While it streams, only the last widget changes.

reply ──split──▶ Segment ──▶ MessageText │ CodeBlock │ ThinkingBlock      grow: from the open segment on
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QResizeEvent, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.chat.draft_underlines import DraftUnderlines, literal_spans
from app.chat.message_text import MessageText
from app.chat.segments import Segment, extend, split
from app.text.formatting import format_duration, pluralize
from app.widgets import button, label
from app.widgets.basics import make_frameless
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import G, mono_font, set_icon
from workflows.wire.events import TokenEvent


class ThinkingBlock(QWidget):
    """A line that unfolds. tokens, seconds: as `measure_thinking` returns them, 0 if unknown."""

    def __init__(self, tokens: int = 0, seconds: float = 0.0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens, self._taken = tokens, seconds
        self.text = MessageText()
        self.text.setAccessibleName(self.tr("Thinking of the model"))
        self.text.hide()
        self.fold = button("", role="link", clicked=lambda: self.unfold(self.text.isHidden()))
        vbox(hbox(self.fold, STRETCH), hbox(self.text, margins=(2 * G, 0, 0, 0)), spacing=G // 2, parent=self)
        self.unfold(False)

    def show_segment(self, segment: Segment) -> None:
        """Shows the thinking so far, or all of it."""
        title = self._title() if segment.closed else self.tr("Thinking …")
        self.fold.setText(title)
        self.fold.setAccessibleName(title)
        if segment.closed:
            self.text.set_markdown(segment.text)
        else:
            self.text.extend_text(segment.text)

    def unfold(self, on: bool) -> None:
        """Unfolds or folds the thinking."""
        self.text.setVisible(on)
        set_icon(self.fold, "chevron-down" if on else "chevron-right", "accent", 16)

    def _title(self) -> str:
        if not self._tokens:
            return self.tr("Thoughts")
        tokens = pluralize(self._tokens, self.tr("1 token"), self.tr("{0} tokens"))
        return self.tr("Thought for {0}, {1}").format(tokens, format_duration(self._taken))


SHOW_COPIED_MS = 1500


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
        self._copied_timer = QTimer(self, singleShot=True, interval=SHOW_COPIED_MS)
        self._copied_timer.timeout.connect(lambda: self.copy.setText(self.tr("Copy")))
        head = hbox((self.language, 1), self.copy, spacing=None)
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


Part = MessageText | CodeBlock | ThinkingBlock


class MessageBody(QWidget):
    """A prompt as plain text, or a reply in its segments."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = vbox(parent=self)
        self.parts: list[Part] = []
        self._segments: list[Segment] = []
        self._raw = ""
        self.completes = False
        """Whether replies are completed text, which is shown as plain text."""

    def toPlainText(self) -> str:  # noqa: N802 - Qt's name, as the parts have it
        """All text, also what is folded."""
        texts = (part if isinstance(part, MessageText) else part.text for part in self.parts)
        return "\n".join(text.toPlainText() for text in texts)

    def set_plain(self, text: str) -> None:
        """Shows a prompt, without Markdown."""
        self._clear()
        part = self._add(MessageText())
        assert isinstance(part, MessageText)
        part.set_plain(text)

    def begin(self, text: str) -> None:
        """Shows a reply that will grow, with its beginning."""
        self._clear()
        self.grow(text)

    def grow(self, text: str) -> None:
        """Adds text to the reply; closed segments stay as they are."""
        self._raw += text
        done, last = self._segments[:-1], self._segments[-1] if self._segments else None
        longer = extend(last, self._raw, text) if last is not None else None
        self._show(done, [longer] if longer else self._split(last.start if last else 0))

    def set_reply(self, text: str, thought: tuple[int, float] = (0, 0.0)) -> None:
        """Shows a whole reply. thought: tokens and seconds of its thinking."""
        self._clear()
        self._raw = text
        for one in self._split():
            closed = Segment(one.kind, one.text, one.start, one.end, one.language, closed=not self.completes)
            self._segments.append(closed)
            _show(self._add(_part(one, thought)), closed)

    def set_trace(self, tokens: Sequence[TokenEvent], drafter: str = "") -> None:
        """Gives each segment the tokens of its text. drafter: who drafted some of them."""
        generated = "".join(token.text for token in tokens)
        offset = _offset(self._raw, generated)
        for part, segment in zip(self.parts, self._segments, strict=False):
            begin = max(0, segment.start - offset)
            if isinstance(part, CodeBlock):
                at = generated.find(segment.text, begin)
                part.set_trace(tokens if at >= 0 else (), at)
            else:
                text = part.text if isinstance(part, ThinkingBlock) else part
                text.set_trace(_between(tokens, begin, segment.end - offset), drafter)

    def underline_drafts(self, on: bool) -> None:
        """Underlines accepted draft tokens, or none."""
        for part in self.parts:
            (part.text if isinstance(part, ThinkingBlock) else part).underline_drafts(on)

    def _show(self, done: list[Segment], new: list[Segment]) -> None:
        """Updates the widgets after those of `done` to show `new`."""
        before, self._segments = self._segments[len(done) :], [*done, *new]
        if new and before and before[0].kind != new[0].kind:  # prose turned out to be code or thinking
            self._drop(len(done))
            before = []
        for place, segment in enumerate(new):
            _show(self.parts[len(done)] if place < len(before) else self._add(_part(segment)), segment)

    def _split(self, start: int = 0) -> list[Segment]:
        """The segments of the reply from `start` on."""
        if self.completes:
            return [Segment("prose", self._raw, 0, len(self._raw), closed=False)]
        return split(self._raw, start)

    def _add(self, part: Part) -> Part:
        self.parts.append(part)
        self._column.addWidget(part)
        return part

    def _drop(self, first: int) -> None:
        for part in self.parts[first:]:
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()
        del self.parts[first:]

    def _clear(self) -> None:
        self._drop(0)
        self._segments, self._raw = [], ""


def _part(segment: Segment, thought: tuple[int, float] = (0, 0.0)) -> Part:
    if segment.kind == "code":
        return CodeBlock()
    return ThinkingBlock(*thought) if segment.kind == "thought" else MessageText()


def _show(part: Part, segment: Segment) -> None:
    if not isinstance(part, MessageText):
        part.show_segment(segment)
    elif segment.closed:
        part.set_markdown(segment.text)
    else:
        part.extend_text(segment.text)


def _offset(reply: str, generated: str) -> int:
    """The place in a reply where the generated text begins, after a prefill."""
    words = generated.lstrip()
    place = reply.find(words[:64].rstrip()) if words.strip() else 0
    return max(0, place - (len(generated) - len(words)))


def _between(tokens: Sequence[TokenEvent], start: int, end: int) -> list[TokenEvent]:
    """The tokens with a character in [start, end) of the generated text."""
    ends = accumulate(len(token.text) for token in tokens)
    return [token for token, last in zip(tokens, ends, strict=True) if last > start and last - len(token.text) < end]

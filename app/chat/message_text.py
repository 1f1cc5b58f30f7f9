"""The text of one message: plain while it streams, Markdown at the end, with details of each token on hover.

TokenEvents ──▶ TokenMap ──token_at──▶ hover, tool tip
                         ──drafted──▶ DraftUnderlines
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Iterator
from itertools import accumulate

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QResizeEvent, QTextCharFormat, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QTextEdit, QToolTip, QWidget

from app.chat.draft_underlines import DraftUnderlines, Spans, drafted_text, spans
from app.text.formatting import format_number, format_percent
from app.widgets.basics import make_frameless
from app.widgets.markdown import MarkdownDocument
from app.widgets.plain_text import MarkupText, join_markup, markup, show_tool_tip
from app.widgets.theme import theme
from workflows.wire.events import TokenEvent

_LOOKAHEAD = 48
_SECOND = "\ue000"  # the second half of a surrogate pair: a private-use character, which no text contains
CHARACTERS_PER_SLICE = 2000
"""Characters that are aligned between two pauses: about two milliseconds."""


class TokenMap:
    """The token of each character of the shown text, computed when first needed."""

    def __init__(self, tokens: list[TokenEvent], shown: str) -> None:
        self.tokens = tokens
        self._shown = shown
        self._owners: list[int] | None = None
        self._spans: dict[int, tuple[int, int]] = {}

    def token_at(self, position: int) -> int:
        """The index of the token at a character of the shown text, or -1."""
        owners = self.owners()
        return owners[position] if 0 <= position < len(owners) else -1

    def span(self, index: int) -> tuple[int, int]:
        """The characters [first, last) of the shown text that came from a token."""
        self.owners()
        return self._spans.get(index, (0, 0))

    def owners(self) -> list[int]:
        """The index of the token of each character of the shown text, or -1."""
        if self._owners is None:
            for _pause in self.in_steps():
                pass
        assert self._owners is not None
        return self._owners

    def in_steps(self) -> Generator[None, None, None]:
        """Computes the map with pauses; does nothing if it is computed."""
        if self._owners is not None:
            return
        ends = list(accumulate(len(t.text) for t in self.tokens))
        owners, token_spans = list[int](), dict[int, tuple[int, int]]()
        for position, raw in enumerate(_aligned("".join(t.text for t in self.tokens), self._shown)):
            index = bisect_right(ends, raw) if raw >= 0 else -1
            owners.append(index)
            if index >= 0:
                token_spans[index] = (token_spans.get(index, (position, 0))[0], position + 1)
            if position % CHARACTERS_PER_SLICE == CHARACTERS_PER_SLICE - 1:
                yield
        self._owners, self._spans = owners, token_spans

    def drafted(self) -> Spans:
        """The drafted parts of the text."""
        yield from self.in_steps()
        return spans(self.owners(), self.tokens)


def _aligned(raw: str, shown: str) -> Iterator[int]:
    """The place in `raw` of each character of `shown`, or -1: rendering removes marks and changes white space."""
    at, place = 0, -1
    for character in shown:
        if character == _SECOND:
            yield place
            continue
        if character in "\u2028\u2029\u00a0":
            character = " " if character == "\u00a0" else "\n"
        place = raw.find(character, at, at + _LOOKAHEAD)
        if character.isspace() and place > at:
            place = at if at < len(raw) and raw[at].isspace() else -1
        yield place
        at = place + 1 if place >= 0 else at


def units(text: str) -> str:
    """The text with one item per Qt position: a character beyond the first plane takes two, the second one empty."""
    return "".join(letter + _SECOND if ord(letter) > 0xFFFF else letter for letter in text)


LONG_LINE = 1500
"""A streaming paragraph is broken at a space after so many characters, until the reply is rendered."""


class MessageText(QTextEdit):
    """A read-only, selectable text, as high as its content."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = MarkdownDocument(self)
        self.setDocument(self._document)
        self.setReadOnly(True)
        self.setAccessibleName(self.tr("Text of the message"))
        make_frameless(self)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTabChangesFocus(True)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._map: TokenMap | None = None
        self._marked = -1
        self._plain = ""
        self._drafter = ""
        self.underlines = DraftUnderlines(self.document(), self)

    def set_plain(self, text: str) -> None:
        """Shows plain text."""
        self._forget()
        self._plain = text
        self.setPlainText(text)

    def extend_text(self, text: str) -> None:
        """Shows plain text, whose beginning may be shown already."""
        if self._plain and text.startswith(self._plain):
            added, self._plain = text[len(self._plain) :], text
            self._append(added)
        else:
            self.set_plain(text)

    def _append(self, text: str) -> None:
        """Adds text at the end and keeps the selection."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        # an addition lays out its whole paragraph, so paragraphs must stay short
        if cursor.block().length() > LONG_LINE and " " in text:
            text = text.replace(" ", "\n", 1)
        cursor.insertText(text)

    def set_markdown(self, text: str) -> None:
        """Renders Markdown without HTML and images, in time proportional to the text: call it once a message."""
        self._forget()
        self._document.render_markdown(text)

    def _forget(self) -> None:
        """Forgets tokens and marks, as the text is about to be replaced."""
        self.underlines.forget()
        self._map, self._plain = None, ""
        self._mark(-1)

    def set_trace(self, tokens: list[TokenEvent], drafter: str = "") -> None:
        """Sets the tokens of the shown text. drafter: who drafted some of them, as in the events."""
        self._mark(-1)
        self.underlines.clear()
        self._drafter = drafter
        self._map = TokenMap(list(tokens), units(self.document().toRawText())) if tokens else None

    def underline_drafts(self, on: bool) -> None:
        """Underlines drafted tokens, or none; in long texts in time slices."""
        if on and self._map is not None and any(token.drafted for token in self._map.tokens):
            self.underlines.draw(self._map.drafted())
        else:
            self.underlines.clear()

    def token_at(self, point: QPoint) -> int:
        """The index of the token under a point of the viewport, or -1."""
        if self._map is None:
            return -1
        position = self.document().documentLayout().hitTest(point.toPointF(), Qt.HitTestAccuracy.ExactHit)
        return self._map.token_at(position) if position >= 0 else -1

    def token_html(self, index: int) -> MarkupText:
        """The tool tip of a token."""
        assert self._map is not None
        return describe_token(self._map.tokens[index], self._drafter)

    def _fit(self, *_: object) -> None:
        height = int(self.document().size().height()) + 2
        if height != self.height():
            self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        return QSize(480, int(self.document().size().height()) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: a new width needs a new height."""
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt's name: the transcript scrolls, not the message."""
        event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: marks the token under the mouse."""
        super().mouseMoveEvent(event)
        self._mark(self.token_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Qt's name: no token is marked."""
        self._mark(-1)
        super().leaveEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Qt's name: the tool tip of a token."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self.token_at(event.pos())
            if index >= 0:
                show_tool_tip(event.globalPos(), self.token_html(index), self)
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: with the caret in the text, arrows show the token that it is at."""
        super().keyPressEvent(event)
        if self._map is not None and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            index = self._map.token_at(self.textCursor().position())
            self._mark(index)
            if index >= 0:
                corner = self.cursorRect().bottomLeft()
                show_tool_tip(self.viewport().mapToGlobal(corner), self.token_html(index), self)

    def _mark(self, index: int) -> None:
        if index == self._marked:
            return
        self._marked = index
        selections = []
        if index >= 0 and self._map is not None:
            first, last = self._map.span(index)
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(first)
            cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
            highlight = QTextCharFormat()
            tint = theme().color("accent")
            tint.setAlpha(60)
            highlight.setBackground(tint)
            selection.cursor, selection.format = cursor, highlight
            selections.append(selection)
        self.setExtraSelections(selections)


def describe_token(token: TokenEvent, by: str = "") -> MarkupText:
    """A token as rich text: text, id, probability, drafter, and alternatives."""

    def visible(text: str) -> str:
        return text.replace("\n", "⏎").replace("\t", "⇥").replace(" ", "␣") or "∅"

    head = [markup("<b>{}</b> · id {} · {} ms", visible(token.text), token.id, format_number(token.latency_ms, 1))]
    if token.probability is not None:
        head.append(markup(" · {}", format_percent(token.probability, 1)))
    if token.drafted:
        head.append(markup("<br>{}", drafted_text(by)))
    row = "<tr><td>{}</td><td align='right'>&nbsp;&nbsp;{}</td><td align='right'>&nbsp;&nbsp;{}</td></tr>"
    rows = [markup(row, visible(str(text)), int(id), format_percent(float(p), 1)) for id, text, p in token.alternatives]
    table = markup("<table>{}</table>", join_markup(rows)) if rows else ""
    return markup("<qt>{}{}</qt>", join_markup(head), table)

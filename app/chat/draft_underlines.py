"""Dotted lines under accepted draft tokens, drawn by a document's layout: its text does not change.

token of each character ──spans──▶ [first, last) ──DraftUnderlines──▶ the paragraphs' layouts
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Sequence
from itertools import accumulate

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QTextCharFormat, QTextDocument, QTextLayout
from PySide6.QtWidgets import QWidget

from app.jobs.time_slices import TimeSlicer
from app.text.translatable import tr
from app.widgets import label
from app.widgets.layouts import hbox
from app.widgets.theme import G, theme
from workflows.wire.events import TokenEvent

PARAGRAPHS_PER_SLICE = 50
"""Paragraphs between two pauses."""
COLOR = "decode"
"""The theme's color of kept drafts in the charts."""
CHARACTERS_PER_SLICE = 5000
"""Characters between two pauses."""
Span = tuple[int, int]
Spans = Generator[None, None, list[Span]]
"""Parts of a text, [first, last) in Qt's positions, computed with pauses."""


def literal_spans(tokens: Sequence[TokenEvent], text: str, begin: int) -> Spans:
    """The drafted parts of a text that is literally in the tokens' text, from `begin` on."""
    ends, owners = list(accumulate(len(token.text) for token in tokens)), list[int]()
    for place, letter in enumerate(text):
        owners += [bisect_right(ends, begin + place)] * (2 if ord(letter) > 0xFFFF else 1)  # as Qt counts
        if place % CHARACTERS_PER_SLICE == CHARACTERS_PER_SLICE - 1:
            yield
    return spans(owners, tokens)


def spans(owners: Sequence[int], tokens: Sequence[TokenEvent]) -> list[Span]:
    """The parts of a text from drafted tokens, neighbours merged. owners: each position's token, or -1."""
    merged, begin = list[Span](), -1
    for position, owner in enumerate([*owners, -1]):
        drafted = owner >= 0 and tokens[owner].drafted
        if drafted and begin < 0:
            begin = position
        elif not drafted and begin >= 0:
            merged.append((begin, position))
            begin = -1
    return merged


class DraftUnderlines(QObject):
    """The underlines of one document; in a long one they are drawn and removed in time slices."""

    def __init__(self, document: QTextDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._slices = TimeSlicer(self)
        self._drawn = False

    @property
    def busy(self) -> bool:
        """Whether underlines are being drawn or removed."""
        return self._slices.busy

    def draw(self, parts: Spans) -> None:
        """Underlines exactly these parts, in ascending order."""
        self._drawn = True
        self._slices.run(self._underline(parts))

    def clear(self) -> None:
        """Removes the underlines."""
        self._slices.stop()
        if self._drawn:
            self._drawn = False
            self._slices.run(underline(self._document, []))

    def forget(self) -> None:
        """Forgets the underlines, as the text is about to be replaced."""
        self._slices.stop()
        self._drawn = False

    def _underline(self, parts: Spans) -> Generator[None, None, None]:
        yield from underline(self._document, (yield from parts))


def underline(document: QTextDocument, parts: Sequence[Span]) -> Generator[None, None, None]:
    """Underlines exactly these parts, pausing after every few paragraphs, whose layout takes milliseconds."""
    underline_format = QTextCharFormat()
    underline_format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
    underline_format.setUnderlineColor(theme().color(COLOR))
    block, dirty, at = document.begin(), 0, 0
    while block.isValid():
        begin, end = block.position(), block.position() + block.length() - 1
        while at < len(parts) and parts[at][1] <= begin:
            at += 1
        after = bisect_left(parts, (end, 0), at) if end > begin else at
        ranges = [_range(max(a, begin) - begin, min(b, end) - begin, underline_format) for a, b in parts[at:after]]
        block.layout().setFormats(ranges)
        if block.blockNumber() % PARAGRAPHS_PER_SLICE == PARAGRAPHS_PER_SLICE - 1 or not block.next().isValid():
            document.markContentsDirty(dirty, end + 1 - dirty)
            dirty = end + 1
            yield
        block = block.next()


def _range(first: int, last: int, underline_format: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = first, last - first, underline_format
    return made


class _Sample(QWidget):
    """A sample of the underline, redrawn with another theme."""

    def sizeHint(self) -> QSize:
        return QSize(3 * G, 2 * G)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(theme().color(COLOR), 1.5, Qt.PenStyle.DotLine))
        painter.drawLine(0, self.height() - 4, self.width(), self.height() - 4)
        painter.end()


class UnderlineLegend(QWidget):
    """The legend of the underlines. drafter: as in SpeculationEvent."""

    def __init__(self, drafter: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = label(drafted_text(drafter), "muted", wrap=True)
        hbox(_Sample(), (self.text, 1), parent=self)


def drafted_text(by: str) -> str:
    """The tool tip text of a drafted token; an unknown drafter is shown by its own name."""
    known = {
        "ngram": tr("n-gram look-up"),
        "draft_model": tr("the draft model"),
        "self_speculative": tr("the model's first layers"),
        "extra_heads": tr("the model's extra heads"),
    }
    return tr("drafted by {0} and accepted").format(known.get(by, by))

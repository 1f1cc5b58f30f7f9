"""Dotted lines under what was drafted and accepted, in a document's lay-out alone: its text stays as it is.

    owners of characters, tokens ──spans──▶ [first, last) ──underline──▶ the blocks' lay-outs
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QTextCharFormat, QTextDocument, QTextLayout
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.widgets import label
from app.widgets.theme import G, theme
from workflows.wire.events import TokenEvent

COLOR = "decode"
"""As the bars of what was kept have it on the charts."""
Span = tuple[int, int]


def _tr(text: str) -> str:
    return QCoreApplication.translate("Drafts", text)


def literal_owners(tokens: Sequence[TokenEvent], text: str, begin: int) -> list[int]:
    """The token of each of Qt's positions in `text`, which stands as it is in the tokens' text, from `begin` on."""
    ends, owners = list(accumulate(len(token.text) for token in tokens)), list[int]()
    for place, letter in enumerate(text):
        owners += [bisect_right(ends, begin + place)] * (2 if ord(letter) > 0xFFFF else 1)
    return owners


def spans(owners: Sequence[int], tokens: Sequence[TokenEvent]) -> list[Span]:
    """The parts of a text that came from drafted tokens, neighbours together. owners: each position's token, or -1."""
    found, begin = list[Span](), -1
    for position, owner in enumerate([*owners, -1]):
        drafted = owner >= 0 and tokens[owner].drafted
        if drafted and begin < 0:
            begin = position
        elif not drafted and begin >= 0:
            found.append((begin, position))
            begin = -1
    return found


def underline(document: QTextDocument, parts: Sequence[Span]) -> None:
    """Underlines these parts, which ascend, and nothing else."""
    look = QTextCharFormat()
    look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
    look.setUnderlineColor(theme().color(COLOR))
    ends = [last for _first, last in parts]
    block = document.begin()
    while block.isValid():
        begin, end = block.position(), block.position() + block.length() - 1
        wanted = list[QTextLayout.FormatRange]()
        for first, last in parts[bisect_left(ends, begin + 1) :]:
            if first >= end:
                break
            wanted.append(_range(max(first, begin) - begin, min(last, end) - begin, look))
        if wanted or block.layout().formats():
            block.layout().setFormats(wanted)
            document.markContentsDirty(begin, block.length())
        block = block.next()


def _range(first: int, last: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = first, last - first, look
    return made


class _Sample(QWidget):
    """The line that is meant."""

    def __init__(self) -> None:
        super().__init__()
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Qt's name for the wished size."""
        return QSize(3 * G, 2 * G)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt's name for drawing."""
        painter = QPainter(self)
        painter.setPen(QPen(theme().color(COLOR), 1.5, Qt.PenStyle.DotLine))
        painter.drawLine(0, self.height() - 4, self.width(), self.height() - 4)
        painter.end()


class Legend(QWidget):
    """What the underlines mean; `show_drafter` says who did it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = label("", "muted", wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(G)
        row.addWidget(_Sample())
        row.addWidget(self.words, 1)

    def show_drafter(self, by: str) -> None:
        """by: as SpeculationEvent has it."""
        self.words.setText(drafted_text(by))


def drafted_text(by: str) -> str:
    """What is said of a token that was drafted; a drafter that has no words here has its own name."""
    known = {
        "ngram": _tr("look-ups in the text"),
        "draft_model": _tr("the draft model"),
        "self_speculative": _tr("the model's first layers"),
        "extra_heads": _tr("the model's extra heads"),
    }
    return _tr("drafted by {0} and accepted").format(known.get(by, by))

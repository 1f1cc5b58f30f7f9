"""The thinking of a reply: how much it was, and a block that is folded at first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.chat.message_text import MessageText
from app.chat.segments import Segment, split
from app.text.formatting import format_duration, pluralize
from app.widgets import button
from app.widgets.layouts import hbox, vbox
from app.widgets.theme import G, set_icon
from workflows.wire.events import TokenEvent


def measure_thinking(reply: str, begun: int, tokens: Sequence[TokenEvent]) -> tuple[int, float]:
    """The number of thinking tokens in a reply, and their seconds. begun: characters of the prefill."""
    end = max((one.end for one in split(reply) if one.kind == "thought"), default=0)
    count, milliseconds, at = 0, 0.0, begun
    for token in tokens:
        if at >= end:
            break
        count, milliseconds, at = count + 1, milliseconds + token.latency_ms, at + len(token.text)
    return count, milliseconds / 1000


class ThinkingBlock(QWidget):
    """A line that unfolds. tokens, taken (seconds): as `measure_thinking` returns them, 0 if unknown."""

    def __init__(self, tokens: int = 0, seconds: float = 0.0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens, self._taken = tokens, seconds
        self.text = MessageText()
        self.text.setAccessibleName(self.tr("What the model thought"))
        self.text.hide()
        self.fold = button("", role="link", clicked=lambda: self.unfold(self.text.isHidden()))
        vbox(hbox(self.fold, 1), hbox(self.text, margins=(2 * G, 0, 0, 0)), spacing=G // 2, parent=self)
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

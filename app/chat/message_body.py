"""The text of one message as widgets: prose, code, thinking; while it streams only the last of them changes.

reply ──split──▶ Segment ──▶ MessageText │ CodeBlock │ ThinkingBlock      grow: from the open piece on
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.chat.code_block import CodeBlock
from app.chat.message_text import MessageText
from app.chat.segments import Segment, extend, split
from app.chat.thinking import ThinkingBlock
from app.widgets.theme import G
from workflows.wire.events import TokenEvent

Part = MessageText | CodeBlock | ThinkingBlock


class MessageBody(QWidget):
    """A prompt as it was written, or a reply in its pieces."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(G)
        self.parts: list[Part] = []
        self._segments: list[Segment] = []
        self._raw = ""
        self.completes = False
        """Whether replies are completed text, which is shown as it is: neither Markdown nor in pieces."""

    def toPlainText(self) -> str:  # noqa: N802 - Qt's name, as the parts have it
        """All that is shown, or would be if it were unfolded."""
        texts = (part if isinstance(part, MessageText) else part.text for part in self.parts)
        return "\n".join(text.toPlainText() for text in texts)

    def set_plain(self, text: str) -> None:
        """A prompt: nothing in it means anything."""
        self._clear()
        part = self._add(MessageText())
        assert isinstance(part, MessageText)
        part.set_plain(text)

    def begin(self, text: str) -> None:
        """A reply that will grow, with what it begins with."""
        self._clear()
        self.grow(text)

    def grow(self, text: str) -> None:
        """More of the reply; what is closed stays as it is."""
        self._raw += text
        kept, last = self._segments[:-1], self._segments[-1] if self._segments else None
        longer = extend(last, self._raw, text) if last is not None else None
        self._show(kept, [longer] if longer else self._split(last.start if last else 0))

    def set_reply(self, text: str, thought: tuple[int, float] = (0, 0.0)) -> None:
        """A whole reply. thought: tokens and seconds of its thinking."""
        self._clear()
        self._raw = text
        for one in self._split():
            closed = Segment(one.kind, one.text, one.start, one.end, one.language, closed=not self.completes)
            self._segments.append(closed)
            _show(self._add(_part(one, thought)), closed)

    def set_trace(self, tokens: Sequence[TokenEvent], drafter: str = "") -> None:
        """The tokens that the reply was made of: each piece gets its own. drafter: who drafted some of them."""
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
        """Underlines what was drafted and accepted, or nothing."""
        for part in self.parts:
            (part.text if isinstance(part, ThinkingBlock) else part).underline_drafts(on)

    def _show(self, kept: list[Segment], came: list[Segment]) -> None:
        """Brings the parts after those of `kept` to what `came` says of them."""
        before, self._segments = self._segments[len(kept) :], [*kept, *came]
        if came and before and before[0].kind != came[0].kind:  # what began as prose is a fence, or thinking
            self._drop(len(kept))
            before = []
        for place, segment in enumerate(came):
            _show(self.parts[len(kept)] if place < len(before) else self._add(_part(segment)), segment)

    def _split(self, start: int = 0) -> list[Segment]:
        """The pieces of the reply from `start` on."""
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
        part.go_on(segment.text)


def _offset(reply: str, generated: str) -> int:
    """Where in the reply that began with given text the generated text begins."""
    words = generated.lstrip()
    found = reply.find(words[:64].rstrip()) if words.strip() else 0
    return max(0, found - (len(generated) - len(words)))


def _between(tokens: Sequence[TokenEvent], start: int, end: int) -> list[TokenEvent]:
    """The tokens of which a character is in [start, end) of the generated text."""
    found, at = [], 0
    for token in tokens:
        if at < end and at + len(token.text) > start:
            found.append(token)
        at += len(token.text)
    return found

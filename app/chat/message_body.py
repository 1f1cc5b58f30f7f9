"""The text of one message as widgets: prose, code, thinking. While it streams, only the last widget changes.

reply ──split──▶ Segment ──▶ MessageText │ CodeBlock │ ThinkingBlock      grow: from the open segment on
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.chat.code_block import CodeBlock
from app.chat.message_text import MessageText
from app.chat.segments import Segment, extend, split
from app.chat.thinking import ThinkingBlock
from app.widgets.layouts import vbox
from workflows.wire.events import TokenEvent

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
        kept, last = self._segments[:-1], self._segments[-1] if self._segments else None
        longer = extend(last, self._raw, text) if last is not None else None
        self._show(kept, [longer] if longer else self._split(last.start if last else 0))

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

    def _show(self, kept: list[Segment], new: list[Segment]) -> None:
        """Updates the widgets after those of `kept` to show `came`."""
        before, self._segments = self._segments[len(kept) :], [*kept, *new]
        if new and before and before[0].kind != new[0].kind:  # what began as prose is a fence, or thinking
            self._drop(len(kept))
            before = []
        for place, segment in enumerate(new):
            _show(self.parts[len(kept)] if place < len(before) else self._add(_part(segment)), segment)

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
    """Where the generated text begins in a reply that begins with given text."""
    words = generated.lstrip()
    found = reply.find(words[:64].rstrip()) if words.strip() else 0
    return max(0, found - (len(generated) - len(words)))


def _between(tokens: Sequence[TokenEvent], start: int, end: int) -> list[TokenEvent]:
    """The tokens with a character in [start, end) of the generated text."""
    found, at = [], 0
    for token in tokens:
        if at < end and at + len(token.text) > start:
            found.append(token)
        at += len(token.text)
    return found

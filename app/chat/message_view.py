"""One message of the transcript: role, text, notices, a status line, and buttons."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from app.chat.decoding.tree import JsonReplyTree
from app.chat.draft_underlines import UnderlineLegend
from app.chat.intents import EditPrompt, Intent, PlaySegment, Regenerate, SwitchVersion
from app.chat.message_attachments import files_of, recording_of
from app.chat.message_body import MessageBody
from app.chat.speech.segment_text import SegmentText
from app.state.conversation import ChatMessage, Reply
from app.text.figures import figure_definition, figure_titles
from app.text.formatting import format_number
from app.text.translatable import tr
from app.widgets import label
from app.widgets.actions import tool_button
from app.widgets.layouts import hbox, vbox
from app.widgets.plain_text import PlainLabel, set_tool_tip
from app.widgets.theme import G, set_icon

FLUSH_MS = 33
"""A growing reply is shown at most at 30 Hz."""


def finish_text(reason: str) -> str:
    """The finish reason of a reply as text."""
    return {
        "eos": tr("the model finished"),
        "length": tr("stopped at max new tokens"),
        "stop": tr("stopped at a stop string"),
        "capacity": tr("the cache is full"),
        "cancelled": tr("stopped by you"),
        "interrupted": tr("interrupted: the worker or the window ended"),
        "failed": tr("failed"),
        "refused": tr("not sent"),
    }.get(reason, reason)


def reply_summary(reply: Reply) -> str:
    """The status line of a reply: TTFT · tok/s · tokens · provider · finish reason, whose cause is in its tool tip."""
    parts = []
    if reply.ttft_ms is not None:
        parts.append(f"TTFT {format_number(reply.ttft_ms, 0 if reply.ttft_ms >= 100 else 1)} ms")
    if reply.decode_rate is not None:
        parts.append(f"{format_number(reply.decode_rate, 0 if reply.decode_rate >= 100 else 1)} tok/s")
    if reply.tokens:
        parts.append(f"{format_number(reply.tokens)} {tr('token') if reply.tokens == 1 else tr('tokens')}")
    if reply.tokens_per_step is not None:
        parts.append(tr("tokens per step: {0}").format(format_number(reply.tokens_per_step, 2)))
    if reply.accept_rate is not None:
        parts.append(tr("{0} % of drafts accepted").format(format_number(100 * reply.accept_rate, 0)))
    if reply.provider and reply.tokens:
        parts.append(tr("on {0}").format(reply.provider))
    if reply.ended:
        parts.append(finish_text(reply.ended))
    return " · ".join(parts)


def reply_definitions(reply: Reply) -> str:
    """What the figures of a reply's status line are, a line each."""
    shown = {
        "ttft": reply.ttft_ms,
        "decode": reply.decode_rate,
        "per_step": reply.tokens_per_step,
        "accept": reply.accept_rate,
    }
    titles = figure_titles()
    lines = [f"{titles[key]}: {figure_definition(key)}" for key, value in shown.items() if value is not None]
    cause = reply.error if reply.ended in ("failed", "refused") else ""
    return "\n".join(filter(None, [*lines, cause]))


class MessageView(QFrame):
    """A message. `requested` emits the intents of its buttons."""

    requested = Signal(object)  # EditPrompt, Regenerate, SwitchVersion or an intent of a recording

    def __init__(self, message: ChatMessage, siblings: tuple[int, int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = message
        self.text = MessageBody()
        self.legend: UnderlineLegend | None = None  # created with the first underline
        self._underlines = True
        self._tail: list[str] = []
        self._flush = QTimer(self, singleShot=True, interval=FLUSH_MS)
        self._flush.timeout.connect(self.flush)
        self._tools: dict[str, QToolButton] = {}
        self._build(siblings)
        self.finish()

    @property
    def _is_user(self) -> bool:
        return self.message.role == "user"

    def _build(self, siblings: tuple[int, int]) -> None:
        who = self.tr("You") if self._is_user else self.tr("Model")
        if self._is_user:
            self.setProperty("role", "card")
        self.setAccessibleName(self.tr("Message of: {0}").format(who))
        reply = self.message.reply
        name = f"{who} · {reply.bundle}" if reply is not None and reply.bundle else who
        self.who = label(name, "muted", selectable=False)
        self.status = label("", "muted", wrap=True)
        self.notices = vbox(spacing=None)
        self.tree: JsonReplyTree | None = None
        head, foot = hbox((self.who, 1), spacing=2), hbox((self.status, 1), spacing=2)
        self.recording = recording_of(self.message)
        self.segments: SegmentText | None = None  # of a transcript with times, once there is one
        above = [one for one in (files_of(self.message), self.recording) if one is not None]
        if self.recording is not None:
            self.recording.requested.connect(self.requested)
        margins = (G + G // 2, G // 2, G + G // 2, G if self._is_user else G // 2)
        self._column = vbox(head, *above, self.text, self.notices, foot, spacing=G // 2, margins=margins, parent=self)
        self.status.setVisible(not self._is_user)
        self._add_tools(head if self._is_user else foot, siblings)

    def _add_tools(self, row: QHBoxLayout, siblings: tuple[int, int]) -> None:
        index, count = siblings
        if count > 1:
            self._tool(row, "previous", "chevron-left", self.tr("Previous version")).setEnabled(index > 0)
            self.place = label(f"{index + 1}/{count}", "muted", selectable=False)
            self.place.setAccessibleName(self.tr("Version {0} of {1}").format(index + 1, count))
            row.addWidget(self.place)
            self._tool(row, "next", "chevron-right", self.tr("Next version")).setEnabled(index < count - 1)
        self._tool(row, "copy", "copy", self.tr("Copy the text")).clicked.connect(self.copy)
        if self._is_user and self.message.sound:
            return
        if self._is_user:
            self._tool(row, "edit", "edit", self.tr("Edit and resend, as a new branch"))
        else:
            self._tool(row, "regenerate", "refresh", self.tr("Answer again, as a new branch"))

    def _tool(self, row: QHBoxLayout, name: str, icon: str, tip: str) -> QToolButton:
        button = tool_button(icon, tip, "muted")
        if name != "copy":
            intent = self._intent(name)
            button.clicked.connect(lambda: self.requested.emit(intent))
        row.addWidget(button)
        self._tools[name] = button
        return button

    def _intent(self, name: str) -> Intent:
        id = self.message.id
        if name == "edit":
            return EditPrompt(id)
        return Regenerate(id) if name == "regenerate" else SwitchVersion(id, 1 if name == "next" else -1)

    def tool(self, name: str) -> QToolButton:
        """The button of an action. Raises KeyError for one that this message does not have."""
        return self._tools[name]

    def set_busy(self, busy: bool) -> None:
        """Disables branching while a reply runs."""
        for name in ("edit", "regenerate"):
            if name in self._tools:
                self._tools[name].setEnabled(not busy)

    def grow(self, text: str) -> None:
        """Adds text, which the next flush shows."""
        self._tail.append(text)
        if not self._flush.isActive():
            self._flush.start()

    def flush(self) -> None:
        """Shows the text since the last flush."""
        if self._tail and self._show_segments():
            self._tail.clear()
        if self._tail:
            self.text.completes = self.message.reply is not None and self.message.reply.completes
            self.text.grow("".join(self._tail))
            self._tail.clear()

    def _show_segments(self) -> bool:
        """Shows the segments in place of the text; returns False where there are none."""
        reply = self.message.reply
        if reply is None or not reply.segments:
            return False
        if self.segments is None:
            self.segments = SegmentText()
            self._column.insertWidget(self._column.indexOf(self.text) + 1, self.segments)
            self.segments.chosen.connect(lambda place: self.requested.emit(PlaySegment(self.message.id, place)))
        self.segments.show_segments(reply.segments)
        self.text.hide()
        return True

    def add_notice(self, text: str) -> None:
        """Adds a notice: the window slid, a template is missing."""
        icon = PlainLabel()
        set_icon(icon, "info", "accent", 16)
        self.notices.addLayout(hbox(icon, (label(text, "muted", wrap=True), 1), spacing=G // 2))

    def finish(self) -> None:
        """Shows the message in its final form: a reply in its segments, a prompt as plain text."""
        self._flush.stop()
        self._tail.clear()
        reply = self.message.reply
        self.text.completes = reply is not None and reply.completes
        if self._is_user or reply is None:
            self.text.set_plain(self.message.content)
            self.text.setVisible(bool(self.message.content))
        elif not reply.ended:
            self.text.begin(self.message.content)
        else:
            self.text.set_reply(self.message.content, (reply.thought_tokens, reply.thought_s))
            self._show_trace(reply)
            self._show_segments()
        if reply is not None:
            self._show_status(reply)
            for text in reply.notices[self.notices.count() :]:
                self.add_notice(text)

    def _show_trace(self, reply: Reply) -> None:
        self.text.set_trace(self.message.trace, reply.drafter)
        self.underline_drafts(self._underlines)

    def underline_drafts(self, on: bool) -> None:
        """Underlines accepted draft tokens and shows the legend, or neither."""
        self._underlines = on
        drafted = any(token.drafted for token in self.message.trace)
        if drafted:
            self.text.underline_drafts(on)
        self._show_legend(on and drafted)

    def _show_legend(self, on: bool) -> None:
        if on and self.legend is None:
            self.legend = UnderlineLegend(self.message.reply.drafter if self.message.reply else "", self)
            self._column.insertWidget(self._column.indexOf(self.text) + 1, self.legend)
        if self.legend is not None:
            self.legend.setVisible(on)

    def forget_trace(self) -> None:
        """Forgets the tokens."""
        self.text.set_trace([])
        self._show_legend(on=False)

    def _show_status(self, reply: Reply) -> None:
        running = not reply.ended
        self.status.setText(self.tr("…") if running else reply_summary(reply))
        set_tool_tip(self.status, reply_definitions(reply))
        self.status.setAccessibleDescription(reply_definitions(reply))
        self.text.setVisible((bool(self.message.content) or running) and self.segments is None)
        if reply.form == "json_schema" and not running:
            self._show_tree()

    def _show_tree(self) -> None:
        """Shows a complete JSON reply as a tree."""
        tree = self.tree or JsonReplyTree()
        if tree.show_text(self.message.content) and self.tree is None:
            self.tree = tree
            self._column.insertWidget(self._column.indexOf(self.text) + 1, tree)
            tree.toggled.connect(lambda on: self.text.setVisible(not on))
            self.text.hide()

    def copy(self) -> None:
        """Copies the message's source text to the clipboard."""
        QGuiApplication.clipboard().setText(self.message.content)

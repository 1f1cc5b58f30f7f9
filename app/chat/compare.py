"""The comparison of two bundles that answer one prompt; the first token that differs and all after it are marked.

Composer ──prompt──▶ BundleComparison ──changed──▶ two columns: bundle, text, latency
"""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from app.chat.composer import Composer
from app.chat.intents import Intent, Send, Stop
from app.chat.message_view import FLUSH_MS, reply_summary
from app.chat.sampling import SamplingSettings
from app.state.bundle_comparison import BundleComparison, ComparisonLane
from app.state.context import AppContext
from app.state.conversation import Reply
from app.text.formatting import format_number, pluralize
from app.widgets import Banner, button, label
from app.widgets.actions import FocusForwarder
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.bundle_field import BundleField
from app.widgets.layouts import hbox, vbox
from app.widgets.theme import G, theme
from app.widgets.token_diff import insert_token_diff, plain_format, read_only_text


class AnswerColumn(QWidget):
    """One bundle: its name, its answer, its speed."""

    def __init__(self, lane: ComparisonLane, choice: BundleField, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lane, self.choice = lane, choice
        self.banner = Banner()
        self.text = read_only_text(name)
        self.text.setPlaceholderText(self.tr("The answer appears here; tokens that differ are marked."))
        self.foot = label("", "muted", wrap=True)
        self.foot.setMinimumHeight(3 * G)
        vbox(choice, (self.text, 1), self.foot, parent=self)
        self.overlay = BannerOverlay(self, self.banner, area=self.text)

    def draw(self, equal: int) -> None:
        """Writes the answer again; tokens from `equal` on differ from the other column's."""
        lane = self.lane
        bar = self.text.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        self.text.clear()
        cursor = self.text.textCursor()
        insert_token_diff(cursor, [event.text for event in lane.tokens], equal)
        if lane.running and not lane.tokens:
            opening = lane.session is not None and lane.session.state == "opening"
            text = self.tr("Opening the bundle …") if opening else self.tr("Reading the prompt …")
            cursor.insertText(text, plain_format("muted"))
        if at_end:
            self.text.moveCursor(QTextCursor.MoveOperation.End)
        self.foot.setText(self._figures())
        failure = lane.failure
        if failure is None or failure.kind == "cancelled":
            self.banner.clear()
        elif self.banner.message != failure.message:
            self.banner.error(failure.message, failure.details)

    def _figures(self) -> str:
        """TTFT, tokens per second, tokens, finish reason; of a running answer the last token's latency."""
        lane = self.lane
        if lane.done is not None:
            done = lane.done
            rate = done.decode_tokens_per_s or None
            tokens = len(done.token_ids)
            reply = Reply(done.finish_reason, done.ttft_ms or None, rate, tokens, provider=done.provider)
            reply.note_drafts(done.speculation)
            return reply_summary(reply)
        if lane.failure is not None:
            ended = "cancelled" if lane.failure.kind == "cancelled" else "failed"
            return reply_summary(Reply(ended, tokens=len(lane.tokens)))
        if lane.tokens:
            ttft, last = lane.tokens[0].latency_ms, lane.tokens[-1].latency_ms
            return self.tr("TTFT {0} ms · last token {1} ms").format(format_number(ttft, 1), format_number(last, 1))
        return ""


class CompareView(QWidget):
    """Both columns over one composer. `closed` when the user goes back to the chat."""

    closed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.comparison = BundleComparison(context.new_worker, self)
        self.sampling = SamplingSettings()
        hint = self.tr("A bundle's folder")
        names = self.tr("Bundle on the left"), self.tr("Bundle on the right")
        self.columns = tuple(
            AnswerColumn(lane, BundleField(context.recents, name, hint), name)
            for lane, name in zip(self.comparison.lanes, names, strict=True)
        )
        self.composer = Composer()
        self.verdict = label("", "muted", wrap=True)
        self._lay_out()
        self._draw = QTimer(self, singleShot=True, interval=FLUSH_MS)
        self._draw.timeout.connect(self.refresh)
        self.comparison.changed.connect(lambda: self._draw.isActive() or self._draw.start())
        self.composer.requested.connect(self.do)
        for column in self.columns:
            column.choice.changed.connect(self._on_choice)
        theme().changed.connect(self.refresh)
        FocusForwarder(self, self.composer.edit)
        self._on_choice()

    def _lay_out(self) -> None:
        self.back = button(self.tr("Back to the chat"), "chat", clicked=self.leave)
        head = hbox((label(self.tr("Side by side"), "heading"), 1), self.back, spacing=None)
        middle = hbox(*((column, 1) for column in self.columns), spacing=2 * G)
        vbox(head, (middle, 1), self.verdict, self.composer, margins=(2 * G, G, 2 * G, 2 * G), parent=self)

    def enter(self, bundle: str, sampling: SamplingSettings) -> None:
        """Starts with `bundle` on the left, and the chat's sampling for both."""
        self.sampling = sampling
        left, right = (column.choice for column in self.columns)
        if bundle and not left.path:
            left.choose(bundle)
        others = [entry.path for entry in self.context.recents.entries if entry.path != left.path and not entry.problem]
        if not right.path and others:
            right.choose(others[0])
        (self.composer.edit if self.comparison.ready else right).setFocus()

    def do(self, intent: Intent) -> None:
        """Handles an intent of the composer; there are no earlier prompts to edit."""
        match intent:
            case Send(text):
                self.send(text)
            case Stop():
                self.comparison.stop()

    def send(self, text: str) -> None:
        """Runs a prompt in both."""
        for column in self.columns:
            column.banner.clear()
        if self.comparison.run_prompt(text, self.sampling.to_options() | {"alternatives": 0}):
            self.refresh()

    def leave(self) -> None:
        """Ends both workers; the answers stay."""
        self.comparison.stop()
        self.comparison.close()
        self.refresh()
        self.closed.emit()

    def _on_choice(self, *_: object) -> None:
        for column in self.columns:
            column.lane.bundle = column.choice.path
        self.composer.set_enabled(self.comparison.ready)
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Shows the current state."""
        comparison = self.comparison
        self.composer.set_running(comparison.running)
        for column in self.columns:
            column.choice.setEnabled(not comparison.running)
            column.draw(comparison.common_tokens if comparison.differs else len(column.lane.tokens))
        self.verdict.setText(self._verdict())

    def _verdict(self) -> str:
        comparison = self.comparison
        if not comparison.ready:
            return self.tr("Choose two bundles: each answers in its own process.")
        counts = [len(lane.tokens) for lane in comparison.lanes]
        if not any(counts):
            return comparison.prompt
        if comparison.differs:
            one = self.tr("the first token is equal, the next one differs")
            text = pluralize(
                comparison.common_tokens, one, self.tr("the first {0} tokens are equal, the next one differs")
            )
        elif comparison.running:
            text = self.tr("equal so far")
        else:
            text = pluralize(counts[0], self.tr("the one token is equal"), self.tr("all {0} tokens are equal"))
        return f"{comparison.prompt} · {text}"

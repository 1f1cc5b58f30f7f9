"""Records what a session generates in one reply of a conversation.

    BundleSession ──token, speculation, notice, finished, failed──▶ ReplyRecorder ──▶ ChatMessage, Reply

A reply is open from `begin` to `finish`. Whoever leaves the chat finishes its reply first and then drops the
generation, so that the session has nothing more to report of it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.chat.thinking import measure_thinking
from app.state.bundle_session import BundleSession, SessionFailure, placement_text
from app.state.conversation import ChatMessage, Reply
from workflows.wire.events import GenerationDone, NoticeEvent, SpeculationEvent, TokenEvent

TRACED = 10_000
"""Tokens whose alternatives are kept for hovering, those of the newest replies: each takes about a kilobyte."""


REFUSALS = ("prompt", "capacity", "request")
"""Kinds of failure of a prompt that cannot be run now or later: too long, refused by the template …"""


class ReplyRecorder(QObject):
    """The open reply, if any. `failed` is also emitted for a failure while no reply is open."""

    grew = Signal(int, str)  # the reply's id, and the text that was added
    noticed = Signal(int, str)
    ended = Signal(int)
    failed = Signal(object)  # SessionFailure

    def __init__(self, session: BundleSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._message: ChatMessage | None = None
        self._bundle = self._prefill = ""
        session.token.connect(self._on_token)
        session.speculation.connect(self._on_speculation)
        session.notice.connect(self._on_notice)
        session.finished.connect(self._on_finished)
        session.failed.connect(self.fail)

    @property
    def running(self) -> bool:
        """Whether a reply is open."""
        return self._message is not None

    @property
    def _reply(self) -> Reply | None:
        return self._message.reply if self._message is not None else None

    def begin(self, message: ChatMessage, prefill: str, form: str) -> None:
        """Opens the empty reply `message`, which begins with `prefill`; form: the kind of form it is held to."""
        self._message, self._bundle, self._prefill = message, self._session.bundle, prefill
        message.content = prefill
        assert message.reply is not None
        message.reply.bundle, message.reply.form = Path(self._bundle).name, form

    def finish(self, reason: str) -> None:
        """Ends the open reply; see `Reply.ended` for the reasons."""
        message, self._message = self._message, None
        assert message is not None and message.reply is not None
        message.reply.ended = reason
        self.ended.emit(message.id)

    def fail(self, failure: SessionFailure) -> None:
        """The generation failed, or something of the session while no reply was open."""
        message, reply = self._message, self._reply
        if message is not None and reply is not None:
            if failure.kind == "cancelled":
                self.finish("cancelled")
                return
            reply.provider, reply.error = placement_text(self._session.request), failure.message
            if not reply.tokens:
                message.content = ""
            refused = failure.kind in REFUSALS and not reply.tokens
            reasons = {"crashed": "interrupted", "stopped": "cancelled"}
            self.finish("refused" if refused else reasons.get(failure.kind, "failed"))
        if failure.kind != "cancelled":
            self.failed.emit(failure)

    def _on_token(self, event: TokenEvent) -> None:
        message, reply = self._message, self._reply
        if message is None or reply is None:
            return
        message.content += event.text
        reply.tokens += 1
        ready = self._session.ready_for(self._bundle)  # of the bundle that answers, whichever is current by now
        reply.completes = ready is not None and ready.completes
        if len(message.trace) < TRACED:
            message.trace.append(event)
        self.grew.emit(message.id, event.text)

    def _on_speculation(self, event: SpeculationEvent) -> None:
        if self._reply is not None:
            self._reply.drafter = event.by

    def _on_notice(self, event: NoticeEvent) -> None:
        if self._message is not None and self._reply is not None:
            self._reply.notices.append(event.message)
            self.noticed.emit(self._message.id, event.message)

    def _on_finished(self, done: GenerationDone) -> None:
        message, reply = self._message, self._reply
        if message is None or reply is None:
            return
        message.content = self._prefill + done.text
        tokens, seconds = measure_thinking(message.content, len(self._prefill), message.trace)
        message.reply = replace(
            reply,
            ttft_ms=done.ttft_ms or None,
            decode_rate=done.decode_tokens_per_s or None,
            tokens=len(done.token_ids),
            context=done.cache.used + done.cache.evicted,
            provider=done.provider,
            thought_tokens=tokens,
            thought_s=seconds,
        )
        message.reply.note_drafts(done.speculation)
        self.finish(done.finish_reason)

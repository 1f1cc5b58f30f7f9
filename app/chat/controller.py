"""Between the conversation and the session: what a click means, and what an event changes.

    page ──send, regenerate, edit, select──▶ ChatController ──generate, stop, drop──▶ Session
    page ◀──appended, grew, ended, reset──── (tree, store) ◀──token, done, failed─────┘

A reply is open from `_run` to `_finish`, which alone ends it and takes it from `_reply` first. Whoever leaves the chat
finishes its reply and then drops the generation, so that the session has nothing to report of it any more.

The prompt is on the disk before inference starts; a reply that grows is saved once a second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.chat.decoding.decoding_options import DecodingOptions
from app.chat.sampling import SamplingSettings
from app.chat.thinking import measure_thinking
from app.state.bundle_session import BundleSession, SessionFailure
from app.state.chat_store import ChatStore
from app.state.conversation import ChatMessage, Conversation
from workflows.common.errors import describe_os_error
from workflows.wire.events import GenerationDone, NoticeEvent, ReadyEvent, SpeculationEvent, TokenEvent

TRACED = 10_000
"""Tokens that are kept for hovering, those of the newest replies: each holds about a kilobyte of alternatives."""


REFUSALS = ("prompt", "capacity", "request")
"""Kinds of failure that say of a prompt that it cannot be run now or later: too long, refused by the template …"""


class ChatController(QObject):
    """Drives one conversation at a time.

    ensure_open: opens the current bundle where it is not, False where there is none. ready: what is open of it.
    """

    reset = Signal()  # the whole active path may differ
    appended = Signal(int)  # a message at the end of the path
    grew = Signal(int, str)  # a reply, by this text
    noticed = Signal(int, str)
    ended = Signal(int)
    failed = Signal(object)  # SessionFailure
    unsaved = Signal(str)  # why the chat could not be written
    runningChanged = Signal(bool)  # noqa: N815

    def __init__(
        self,
        session: BundleSession,
        store: ChatStore,
        ensure_open: Callable[[], bool],
        ready: Callable[[], ReadyEvent | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.store = store
        self.chat = Conversation()
        self.sampling, self.decoding = SamplingSettings(), DecodingOptions()
        self.problem = ""  # what of these cannot be used, for which nothing is sent
        self._begun = ""  # what the running reply began with
        self.languages: dict[str, str] = {}  # options of a request to a translator
        self._ensure_open, self._ready = ensure_open, ready
        self._reply: ChatMessage | None = None
        session.token.connect(self._on_token)
        session.speculation.connect(self._on_speculation)
        session.notice.connect(self._on_notice)
        session.finished.connect(self._on_finished)
        session.failed.connect(self._on_failed)

    @property
    def running(self) -> bool:
        """Whether a reply of this chat is being generated, or waits for the bundle to open."""
        return self._reply is not None

    @property
    def completes(self) -> bool:
        """Whether the current bundle goes on with what was written, space for space, instead of answering."""
        ready = self._ready()
        return ready is not None and ready.completes

    def send(self, text: str) -> bool:
        """Asks; False for an empty text, or while a reply is running."""
        if not text.strip() or not self._free():
            return False
        prompt = self.chat.ask(text if self.completes else text.strip())
        self.appended.emit(prompt.id)
        return self._run(prompt.id)

    def regenerate(self, reply: int | None = None) -> bool:
        """Answers the same prompt again, as a sibling of `reply`, or of the last one."""
        message = self.chat[reply] if reply is not None else self.chat.last("assistant")
        if message is None or message.parent is None or not self._free():
            return False
        return self._run(message.parent, rebuilt=True)

    def edit(self, prompt: int, text: str) -> bool:
        """Asks a changed prompt, as a sibling of the old one."""
        if not text.strip() or not self._free():
            return False
        message = self.chat.edit(prompt, text if self.completes else text.strip())
        return self._run(message.id, rebuilt=True)

    def _free(self) -> bool:
        """Whether a reply can begin; what is in the way of it is told."""
        if self.problem and not self.running:
            self.failed.emit(SessionFailure("choices", self.problem))
        return not self.running and not self.problem

    def select(self, id: int, index: int) -> None:
        """Shows another branch; not while a reply is running."""
        if self.running:
            return
        self.chat.select(id, index)
        self._commit()
        self.reset.emit()

    def step(self, id: int, step: int) -> None:
        """Shows the next version of a message (1) or the one before (-1)."""
        self.select(id, self.chat.siblings(id)[0] + step)

    def stop(self) -> None:
        """Ends the running reply; what came stays."""
        self.session.stop()

    def new_chat(self) -> None:
        """An empty conversation with the same system prompt and nothing else of the old one, which stays saved."""
        self._leave("cancelled")
        self.chat = Conversation(self.chat.system)
        try:
            self.store.forget()
        except OSError as error:
            self.unsaved.emit(describe_os_error(error))
        self.reset.emit()

    def open_chat(self, key: str) -> None:
        """Another saved conversation. Raises HeldError, OSError or ValueError, and then keeps this one."""
        if key != self.chat.key or not len(self.chat):  # the file of the open one may be older than what is shown
            self._show(self.store.load(key))

    def open_copy(self, key: str) -> None:
        """A conversation that begins as the saved one. Raises OSError or ValueError, and then keeps this one."""
        self._show(self.store.copy(key))

    def retitle(self, key: str, name: str) -> None:
        """Names a chat. Raises HeldError, OSError or ValueError."""
        if key == self.chat.key:
            self.chat.name = name
            self.store.commit(self.chat)
        else:
            self.store.retitle(key, name)

    def delete(self, key: str) -> None:
        """Takes a chat away, until `restore`; the open one makes room for an empty one. Raises HeldError or OSError."""
        if key == self.chat.key:
            self.new_chat()
        self.store.delete(key)

    def _show(self, chat: Conversation) -> None:
        self._leave("cancelled")
        self.chat = chat
        self._commit()
        self.reset.emit()

    def set_system(self, text: str) -> None:
        """Another system prompt, from the next message on."""
        self.chat.system = text
        self.keep_chat()

    def set_opening(self, prefill: str, tools: str) -> None:
        """What this chat's replies begin with, and the tools that the model is told of, from the next reply on."""
        self.chat.prefill, self.chat.tools = prefill, tools.strip()
        self.keep_chat()

    def keep_chat(self) -> None:
        """Saves it in the background, soon, where anything was said in it."""
        if len(self.chat):
            self.store.partial(self.chat)

    def shut(self) -> None:
        """The window closes: everything is saved, and the next start restores it."""
        if self._reply is not None:
            self._leave("interrupted")
        else:
            self._commit()
        try:
            self.store.close()
        except OSError as error:
            self.unsaved.emit(describe_os_error(error))

    def _run(self, prompt: int, rebuilt: bool = False) -> bool:
        if not self._ensure_open():
            if rebuilt:
                self.reset.emit()
            return False
        options = self.decoding.to_options(self.sampling) | self.languages
        self.chat.bundle = self.session.bundle
        self.chat.decoding = asdict(self.decoding)
        self._reply = self.chat.begin_reply(prompt)
        self._begun = self._reply.content = self.chat.prefill
        assert self._reply.reply is not None
        self._reply.reply.bundle = Path(self.session.bundle).name
        self._reply.reply.form = self.decoding.forms.kind or ""
        self._commit()
        if rebuilt:
            self.reset.emit()
        else:
            self.appended.emit(self._reply.id)
        self.runningChanged.emit(True)
        asked = self.chat.to_messages(prompt), options
        if not self.session.generate(*asked, tools=self.chat.tools, prefill=self.chat.prefill):
            self._on_failed(SessionFailure("busy", self.tr("The session is busy with another reply.")))
            return False
        return True

    def _leave(self, reason: str) -> None:
        """Ends the running reply, if any, for good: nothing of it reaches the chat that comes next."""
        if self._reply is not None:
            self._finish(reason)
            self.session.drop()

    def _on_token(self, event: TokenEvent) -> None:
        if self._reply is None:
            return
        assert self._reply.reply is not None
        self._reply.content += event.text
        self._reply.reply.tokens += 1
        ready = self.session.ready_for(self.chat.bundle)  # of the one that answers, whichever is current by now
        self._reply.reply.completes = ready is not None and ready.completes
        if len(self._reply.trace) < TRACED:
            self._reply.trace.append(event)
        self.grew.emit(self._reply.id, event.text)
        self.store.partial(self.chat)

    def _on_speculation(self, event: SpeculationEvent) -> None:
        if self._reply is not None:
            assert self._reply.reply is not None
            self._reply.reply.drafter = event.by

    def _on_notice(self, event: NoticeEvent) -> None:
        if self._reply is not None:
            assert self._reply.reply is not None
            self._reply.reply.notices.append(event.message)
            self.noticed.emit(self._reply.id, event.message)

    def _on_finished(self, done: GenerationDone) -> None:
        if self._reply is None:
            return
        self._reply.content = self._begun + done.text
        assert self._reply.reply is not None
        tokens, seconds = measure_thinking(self._reply.content, len(self._begun), self._reply.trace)
        self._reply.reply = replace(
            self._reply.reply,
            ttft_ms=done.ttft_ms or None,
            decode_rate=done.decode_tokens_per_s or None,
            tokens=len(done.token_ids),
            context=done.cache.used + done.cache.evicted,
            provider=done.provider,
            thought_tokens=tokens,
            thought_s=seconds,
        )
        self._reply.reply.note_drafts(done.speculation)
        self._finish(done.finish_reason)

    def _on_failed(self, failure: SessionFailure) -> None:
        if self._reply is not None:
            assert self._reply.reply is not None
            if failure.kind == "cancelled":
                self._finish("cancelled")
                return
            self._reply.reply.provider = self.session.where
            self._reply.reply.error = failure.message
            if not self._reply.reply.tokens:
                self._reply.content = ""
            refused = failure.kind in REFUSALS and not self._reply.reply.tokens
            ways = {"crashed": "interrupted", "stopped": "cancelled"}
            self._finish("refused" if refused else ways.get(failure.kind, "failed"))
        if failure.kind != "cancelled":
            self.failed.emit(failure)

    def _finish(self, reason: str) -> None:
        reply, self._reply = self._reply, None
        assert reply is not None and reply.reply is not None
        reply.reply.ended = reason
        self.chat.forget_traces(TRACED)
        self._commit()
        self.ended.emit(reply.id)
        self.runningChanged.emit(False)

    def _commit(self) -> None:
        if not len(self.chat):
            return
        try:
            self.store.commit(self.chat)
        except OSError as error:
            self.unsaved.emit(describe_os_error(error))

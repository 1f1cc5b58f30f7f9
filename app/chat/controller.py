"""The controller between the chat page and the session.

    page ──send, regenerate, edit, select──▶ ChatController ──generate, drop──▶ BundleSession
    page ◀──appended, grew, ended, reset──── (tree, store) ◀── ReplyRecorder ◀──token, done, failed

The prompt is saved before inference starts; a growing reply is saved once a second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace

from PySide6.QtCore import QObject, Signal

from app.chat.decoding.decoding_options import DecodingOptions
from app.chat.sampling import SamplingSettings
from app.chat.segments import measure_thinking
from app.state.bundle_session import BundleSession, SessionFailure, placement_text
from app.state.chat_store import ChatStore
from app.state.conversation import ChatMessage, Conversation, Reply, TranscriptSegment
from app.text.engine_text import translate_engine_text
from app.text.formatting import format_number
from workflows.common.errors import describe_os_error
from workflows.wire.events import GenerationDone, NoticeEvent, ReadyEvent, SegmentEvent, SpeculationEvent, TokenEvent
from workflows.wire.requests import SoundPrompt

TRACED = 10_000
"""Tokens whose alternatives are kept for hovering, those of the newest replies: each takes about a kilobyte."""
REFUSALS = ("prompt", "promptlength", "capacity", "request")
"""Kinds of failure of a prompt that cannot be run now or later: too long, refused by the template …"""


def segment_line(event: SegmentEvent) -> str:
    """A segment of a transcript as a line: its times in seconds, and its text."""
    times = " – ".join(format_number(seconds, 1) for seconds in (event.start_s, event.end_s))
    return f"[{times} s] {event.text.strip()}\n"


class ReplyRecorder(QObject):
    """The open reply, if any; it is open from `begin` to `finish`. `failed` is also emitted while no reply is open.

    A caller that leaves the chat finishes its reply first and then drops the generation, which then reports no more.
    """

    grew = Signal(int, str)  # the reply's id, and the text that was added
    noticed = Signal(int, str)
    ended = Signal(int)
    failed = Signal(object)  # SessionFailure

    def __init__(self, session: BundleSession, title_of: Callable[[str], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._title_of = session, title_of
        self._message: ChatMessage | None = None
        self._bundle = self._prefill = ""
        self._timed = self._transcript = False
        session.token.connect(self._on_token)
        session.segment.connect(self._on_segment)
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

    def begin(
        self,
        message: ChatMessage,
        prefill: str,
        form: str,
        timed: bool = False,
        transcript: bool = False,
        adapter: str = "",
    ) -> None:
        """Opens the empty reply `message`, which begins with `prefill`; form: the kind of form it is held to.

        transcript: of a recording, whose first word has a blank before it; timed: it has a line for each segment with
        its times. adapter: the bundle's that answers.
        """
        self._message, self._bundle, self._prefill = message, self._session.bundle, prefill
        self._timed, self._transcript = timed, transcript
        message.content = prefill
        assert message.reply is not None
        title = self._title_of(self._bundle)
        message.reply.bundle, message.reply.form = f"{title} · {adapter}" if adapter else title, form

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
        reply.tokens += 1
        ready = self._session.ready_for(self._bundle)  # of the bundle that answers, which may not be the current one
        reply.completes = ready is not None and (ready.completes or ready.listens)
        if self._timed:
            return  # the segment shows the text
        text = event.text.lstrip() if self._transcript and not message.content else event.text
        message.content += text
        if len(message.trace) < TRACED:
            message.trace.append(replace(event, text=text))  # the texts of the tokens are those of the reply
        self.grew.emit(message.id, text)

    def _on_segment(self, event: SegmentEvent) -> None:
        if self._message is not None and self._timed and event.text.strip():
            if self._reply is not None:
                self._reply.segments.append(TranscriptSegment(event.start_s, event.end_s, event.text.strip()))
            line = segment_line(event)
            self._message.content += line
            self.grew.emit(self._message.id, line)

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
        text = done.text.lstrip() if self._transcript else done.text
        message.content = message.content.rstrip() if self._timed else self._prefill + text
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


class ChatController(QObject):
    """Shows one conversation at a time, and drives the one reply that runs: of this chat, or of one that was shown.

    ensure_open: opens the current bundle unless it is open, False if there is none. ready: the worker's report of it.
    title_of: the title of the bundle in a folder.
    """

    reset = Signal()  # the whole active path may differ
    appended = Signal(int)  # a message at the end of the path
    grew = Signal(int, str)  # a reply, by this text
    noticed = Signal(int, str)
    ended = Signal(int)
    endedBehind = Signal(str, int)  # noqa: N815  the key of a chat that is not shown, and its reply
    failed = Signal(object)  # SessionFailure
    unsaved = Signal(str)  # why the chat could not be written
    runningChanged = Signal(bool)  # noqa: N815

    def __init__(
        self,
        session: BundleSession,
        store: ChatStore,
        ensure_open: Callable[[], bool],
        ready: Callable[[], ReadyEvent | None],
        title_of: Callable[[str], str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.store = store
        self.chat = Conversation()
        self.sampling, self.decoding = SamplingSettings(), DecodingOptions()
        self._problem = ""
        self.languages: dict[str, str] = {}  # options of a request to a translator
        self.adapter = ""  # of the bundle, with which the next reply is made; empty for the model alone
        self._ensure_open, self._ready = ensure_open, ready
        self.reply = ReplyRecorder(session, title_of, self)
        self._answering: Conversation | None = None  # the chat of the running reply
        self._said_running = False
        self.reply.grew.connect(self._on_grew)
        self.reply.noticed.connect(self._on_noticed)
        self.reply.ended.connect(self._on_ended)
        self.reply.failed.connect(self.failed)

    @property
    def running(self) -> bool:
        """Whether a reply of the shown chat is generated, or waits for the bundle to open."""
        return self.busy and self._answering is self.chat

    @property
    def busy(self) -> bool:
        """Whether a reply is generated, of the shown chat or of another one."""
        return self.reply.running

    @property
    def completes(self) -> bool:
        """Whether the current bundle continues the prompt, space for space, instead of answering."""
        ready = self._ready()
        return ready is not None and ready.completes

    def send(self, text: str, files: tuple[str, ...] = ()) -> bool:
        """Sends a prompt; returns False for one without text and files, or while a reply runs."""
        if not (text.strip() or files) or not self._can_start():
            return False
        prompt = self.chat.ask(text if self.completes else text.strip(), files)
        self.appended.emit(prompt.id)
        return self._run(prompt.id)

    def send_sound(self, sound: SoundPrompt) -> bool:
        """Has a sound file transcribed; returns False while a reply runs."""
        if not self._can_start():
            return False
        prompt = self.chat.add_sound(sound)
        self.appended.emit(prompt.id)
        return self._run(prompt.id)

    def regenerate(self, reply: int | None = None) -> bool:
        """Generates another reply to the same prompt, as a sibling of `reply`, or of the last one."""
        message = self.chat[reply] if reply is not None else self.chat.last("assistant")
        if message is None or message.parent is None or not self._can_start():
            return False
        begun, new = self._run(message.parent, rebuilt=True), self.chat.last("assistant")
        before, now = message.reply, new.reply if new is not None else None
        if begun and new and before and now and before.bundle == now.bundle and not self.decoding.draws(self.sampling):
            text = self.tr("Greedy decoding gives the same reply again: a temperature above 0 gives others.")
            now.notices.append(text)
            self.noticed.emit(new.id, text)
        return begun

    def edit(self, prompt: int, text: str, files: tuple[str, ...] = ()) -> bool:
        """Sends a changed prompt as a sibling of the old one."""
        if not (text.strip() or files) or not self._can_start():
            return False
        message = self.chat.edit(prompt, text if self.completes else text.strip(), files)
        return self._run(message.id, rebuilt=True)

    def set_problem(self, problem: str) -> None:
        """Sets why nothing can be sent; empty if prompts can be sent."""
        self._problem = problem

    def _can_start(self) -> bool:
        """Whether a reply can begin; reports what prevents it."""
        problem = self._problem
        if self.busy and not self.running and self._answering is not None:
            text = self.tr("A reply in “{0}” is not finished: wait until it ends, or stop it in its chat.")
            problem = text.format(self._answering.title or self.tr("New chat"))
        if problem and not self.running:
            self.failed.emit(SessionFailure("choices", problem))
        return not self.busy and not problem

    def select(self, id: int, index: int) -> None:
        """Shows another branch; does nothing while a reply runs."""
        if self.running:
            return
        self.chat.select(id, index)
        self._commit()
        self.reset.emit()

    def new_chat(self) -> None:
        """Starts an empty conversation with the same system prompt; the old one stays saved, and its reply ends."""
        if self.running:
            self._abandon_reply("cancelled")
        self.chat = Conversation(self.chat.system)
        try:
            self.store.forget(self._answering.key if self._answering is not None else "")
        except OSError as error:
            self.unsaved.emit(translate_engine_text(describe_os_error(error)))
        self.reset.emit()

    def open_chat(self, key: str, *, copy: bool = False) -> None:
        """Opens a saved conversation, or a copy; a running reply goes on in its chat.

        On LockHeldError, OSError or ValueError the open one stays.
        """
        # the file of the open chat may be older than its content, and so may that of the chat with the running reply
        if copy or key != self.chat.key or not len(self.chat):
            answering = self._answering if self._answering is not None and key == self._answering.key else None
            chat = self.store.copy(key) if copy else answering or self.store.load(key)
            self.chat = chat
            self._commit()
            self.reset.emit()
            self._say_running()

    def delete(self, key: str) -> None:
        """Deletes a chat, until `restore`; replaces the open one by an empty one. Raises LockHeldError or OSError."""
        if key == self.chat.key:
            self.new_chat()
        elif self._answering is not None and key == self._answering.key:
            self._abandon_reply("cancelled")
        self.store.delete(key)

    def set_system(self, text: str) -> None:
        """Sets the system prompt, from the next message on."""
        self.chat.system = text
        self.save_soon()

    def set_prefill(self, prefill: str, tools: str) -> None:
        """Sets what this chat's replies begin with, and the tools for the model, from the next reply on."""
        self.chat.prefill, self.chat.tools = prefill, tools.strip()
        self.save_soon()

    def save_soon(self) -> None:
        """Saves the chat soon in the background, unless it is empty."""
        if len(self.chat):
            self.store.partial(self.chat)

    def shut(self) -> None:
        """Saves everything as the window closes; the next start restores it."""
        self._abandon_reply("interrupted")
        self._commit()
        try:
            self.store.close()
        except OSError as error:
            self.unsaved.emit(translate_engine_text(describe_os_error(error)))

    def _run(self, prompt: int, rebuilt: bool = False) -> bool:
        if not self._ensure_open():
            if rebuilt:
                self.reset.emit()
            return False
        options = self.decoding.to_options(self.sampling) | self.languages
        options |= {"adapter": self.adapter} if self.adapter else {}
        self.chat.bundle = self.session.bundle
        self.chat.decoding = asdict(self.decoding)
        message, asked = self.chat.begin_reply(prompt), self.chat[prompt]
        prefill, tools = ("", "") if asked.sound else (self.chat.prefill, self.chat.tools)
        timed = asked.sound is not None and asked.sound.timestamps
        self._answering = self.chat
        form, transcript = self.decoding.forms.kind or "", asked.sound is not None
        self.reply.begin(message, prefill, form, timed=timed, transcript=transcript, adapter=self.adapter)
        self._commit()
        if rebuilt:
            self.reset.emit()
        else:
            self.appended.emit(message.id)
        self._say_running()
        content = asked.sound or self.chat.to_messages(prompt)
        if not self.session.generate(content, options, tools=tools, prefill=prefill):
            self.reply.fail(SessionFailure("busy", self.tr("The session is busy with another reply.")))
            return False
        return True

    def _abandon_reply(self, reason: str) -> None:
        """Ends the running reply, if any: nothing of it reaches the next chat."""
        if self.busy:
            self.reply.finish(reason)
            self.session.drop()

    def _say_running(self) -> None:
        """Tells whether a reply of the shown chat runs, where that has changed."""
        if self.running != self._said_running:
            self._said_running = self.running
            self.runningChanged.emit(self._said_running)

    def _on_grew(self, id: int, text: str) -> None:
        assert self._answering is not None
        if self.running:
            self.grew.emit(id, text)
        self.store.partial(self._answering)

    def _on_noticed(self, id: int, text: str) -> None:
        if self.running:
            self.noticed.emit(id, text)

    def _on_ended(self, id: int) -> None:
        chat, self._answering = self._answering, None
        assert chat is not None
        chat.forget_traces(TRACED)
        self._commit(chat)
        if chat is self.chat:
            self.ended.emit(id)
        else:
            self.endedBehind.emit(chat.key, id)
        self._say_running()

    def _commit(self, chat: Conversation | None = None) -> None:
        """Saves the shown chat, or the one whose reply ran behind it."""
        chat = chat or self.chat
        if not len(chat):
            return
        try:
            answering = self._answering.key if self._answering is not None else ""
            self.store.commit(chat, answering, shown=chat is self.chat)
        except OSError as error:
            self.unsaved.emit(translate_engine_text(describe_os_error(error)))

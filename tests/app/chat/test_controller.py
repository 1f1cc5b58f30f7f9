"""Where a question lands and how often its reply ends, over random sequences of what a person and a worker can do."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.chat.controller import ChatController
from app.jobs.time_slices import run_at_once
from app.state.bundle_session import BundleSession
from app.state.chat_store import ChatStore
from app.state.conversation import Conversation
from tests.app.test_session import DONE, READY, TOKEN, StubJob
from tests.fakes.inspections import group
from workflows.common.locks import LockHeldError
from workflows.wire.events import CacheEvent, ErrorEvent
from workflows.wire.requests import Generate, Open, Request, SoundPrompt

BUNDLES = ("/b/one", "/b/two")


class OrderedWorker(QObject):
    """Serves its jobs one after the other, as a worker does: a cancelled one may still send a token before it ends."""

    crashed = Signal(str)
    memory = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.open: list[StubJob] = []
        self.all: list[StubJob] = []

    def request(self, request: Request[object]) -> StubJob:
        self.open.append(StubJob(request))
        self.all.append(self.open[-1])
        return self.open[-1]

    def kill(self) -> None:
        self.die("Stopped.", "cancelled")

    def die(self, message: str = "The worker died.", kind: str = "crashed") -> None:
        jobs, self.open = self.open, []
        self.crashed.emit(message)
        for job in jobs:
            job.failed.emit(ErrorEvent(kind=kind, message=message))

    def say(self, text: str) -> None:
        """One token of the first job, where that generates."""
        if self.open and isinstance(self.open[0].request, Generate):
            self.open[0].event.emit(replace(TOKEN, text=text))
            self.open[0].event.emit(CacheEvent(groups=[group("static", [(0, 0, 9)])]))

    def end(self, text: str, error: str = "") -> None:
        """The end of the first job."""
        if not self.open:
            return
        job = self.open.pop(0)
        if error:
            job.failed.emit(ErrorEvent(kind=error, message=f"{error}."))
        elif isinstance(job.request, Open):
            job.answered.emit(replace(READY, bundle=job.request.bundle))
        else:
            job.answered.emit(replace(DONE, text=text, finish_reason="cancelled" if job.cancelled else "eos"))


class Bench:
    """A controller, its worker, and what must hold after every step."""

    def __init__(self, folder: Path) -> None:
        self.worker = OrderedWorker()
        self.session = BundleSession(self.worker)  # type: ignore[arg-type]
        self.store = ChatStore(folder)
        self.store.begin()
        self.bundle = BUNDLES[0]
        self.controller = ChatController(
            self.session, self.store, self.ensure_open, lambda: self.session.ready_for(self.bundle), str
        )
        self.asked: dict[str, str] = {}  # question → the chat that was shown when it was sent
        self.ends: Counter[tuple[str, int]] = Counter()
        self.running: list[bool] = []
        self.deleted: set[str] = set()
        self.controller.ended.connect(lambda id: self.ends.update([(self.controller.chat.key, id)]))
        self.controller.endedBehind.connect(lambda key, id: self.ends.update([(key, id)]))
        self.problems: list[str] = []
        self.controller.failed.connect(lambda failure: self.problems.append(failure.message))
        self.controller.runningChanged.connect(self.running.append)

    def ensure_open(self) -> bool:
        if self.session.state in ("closed", "failed") or self.session.bundle != self.bundle:
            self.session.open(self.bundle)
        return True

    def send(self) -> bool:
        text = f"q{len(self.asked)}"
        sent = self.controller.send(text)
        if sent:
            self.asked[text] = self.controller.chat.key
        return sent

    def now(self) -> str:
        """The question that the worker answers."""
        if self.worker.open and isinstance(self.worker.open[0].request, Generate):
            messages = self.worker.open[0].request.messages
            assert messages
            return messages[-1].content
        return ""

    def edit(self) -> None:
        if (last := self.controller.chat.last("user")) is not None:
            text = f"q{len(self.asked)}"
            if self.controller.edit(last.id, text):
                self.asked[text] = self.controller.chat.key

    def pick(self, dice: random.Random) -> str:
        keys = sorted(one.key for one in run_at_once(self.store.saved()))
        return dice.choice(keys) if keys else ""

    def open_chat(self, key: str) -> None:
        if key:
            self.controller.open_chat(key)

    def delete(self, key: str) -> None:
        if key:
            self.controller.delete(key)
            self.deleted.add(key)

    def switch(self) -> None:
        """Another bundle is current, and opens where nothing runs, as on the chat page."""
        self.bundle = BUNDLES[self.bundle == BUNDLES[0]]
        if not self.controller.busy:
            self.ensure_open()

    def step(self, dice: random.Random) -> None:
        """Something that a person or the worker does."""
        acts: list[Callable[[], object]] = [
            self.send,
            self.send,
            self.edit,
            self.controller.regenerate,
            self.controller.session.stop,
            self.controller.new_chat,
            lambda: self.open_chat(self.pick(dice)),
            lambda: self.delete(self.pick(dice)),
            lambda: self.delete(self.controller.chat.key if len(self.controller.chat) else ""),
            self.switch,
            self.session.reopen,
            self.worker.die,
            self.session.end,
            lambda: self.worker.say(f"<{self.now()}>"),
            lambda: self.worker.say(f"<{self.now()}>"),
            lambda: self.worker.end(f"<{self.now()}>"),
            lambda: self.worker.end(f"<{self.now()}>"),
            lambda: self.worker.end("", dice.choice(["request", "bundle", "logits", "prompt"])),
        ]
        dice.choice(acts)()

    def check(self) -> None:
        """The invariants."""
        chat = self.controller.chat
        open_replies = [m.id for m in replies(chat) if m.reply is not None and not m.reply.ended]
        assert len(open_replies) == self.controller.running
        assert set(self.ends.values()) <= {1}, "a reply ended twice"
        for message in replies(chat):
            ended = message.reply is not None and bool(message.reply.ended)
            assert self.ends[chat.key, message.id] == ended
            assert set(message.content.split(">")) <= {"", f"<{prompt_of(chat, message)}"}
        assert self.running == [bool(at % 2 == 0) for at in range(len(self.running))], "running is said in turns"

    def check_files(self) -> None:
        """Each question stands in the chat that it was sent in, and in no other."""
        found: dict[str, set[str]] = {}
        for saved in run_at_once(self.store.saved()):
            for word in saved.searched_text.split():
                if word.startswith("q"):
                    found.setdefault(word, set()).add(saved.key)
        kept = {text: {key} for text, key in self.asked.items() if key not in self.deleted}
        assert {text: found[text] for text in kept} == kept


def replies(chat: Conversation) -> list[Any]:
    return [message for message in chat.messages.values() if message.role == "assistant"]


def prompt_of(chat: Conversation, reply: Any) -> str:
    return chat[reply.parent].content


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "chats")
    yield made
    made.controller.shut()


@pytest.mark.parametrize("seed", range(40))
def test_random_sequences(bench: Bench, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(120):
        bench.step(dice)
        bench.check()
    while bench.worker.open:
        bench.worker.end(f"<{bench.now()}>")
    bench.check()
    assert not bench.controller.running
    bench.check_files()
    assert bench.send()
    while bench.worker.open:
        bench.worker.end(f"<{bench.now()}>")
    last = bench.controller.chat.last("assistant")
    assert last is not None and last.reply is not None
    assert (last.content, last.reply.ended) == (f"<{prompt_of(bench.controller.chat, last)}>", "eos")
    bench.check_files()


@pytest.mark.parametrize("moment", ["opening", "streaming", "stopping"])
@pytest.mark.parametrize("leave", ["new", "open", "delete"])
def test_the_next_question_lands_in_the_chat_that_is_shown(bench: Bench, moment: str, leave: str) -> None:
    """At any moment of the reply before, of which nothing reaches the next one."""
    controller, worker = bench.controller, bench.worker
    bench.send()
    worker.end("")
    worker.end("<q0>")
    other = controller.chat.key
    controller.new_chat()
    if moment == "opening":
        bench.bundle = BUNDLES[1]
    bench.send()
    first = controller.chat.key
    if moment != "opening":
        worker.say("<q1>")
    if moment == "stopping":
        controller.session.stop()
    act = {"new": controller.new_chat, "open": lambda: controller.open_chat(other)}
    act.get(leave, lambda: controller.delete(first))()
    if leave == "open":  # the reply goes on behind this chat, which says so
        assert not bench.send() and not controller.running and controller.busy
        assert bench.problems[-1].startswith("A reply in “q1” is not finished: wait until it ends")
        while worker.open:
            worker.end(f"<{bench.now()}>")
    assert bench.send()
    shown = controller.chat
    assert (shown.key == other, shown.key == first) == (leave == "open", False)
    worker.say("<q1>")
    while worker.open:
        worker.end(f"<{bench.now()}>")
    reply = shown.last("assistant")
    assert controller.chat is shown and reply is not None and reply.reply is not None
    assert (reply.content, reply.reply.ended) == ("<q2>", "eos")
    assert sum(bench.ends.values()) == 3


def test_the_chat_that_is_open_is_not_read_again_over_its_running_reply(bench: Bench) -> None:
    bench.send()
    bench.worker.end("")
    bench.worker.say("<q0>")
    chat = bench.controller.chat
    bench.controller.open_chat(chat.key)
    assert bench.controller.chat is chat and bench.controller.running


def test_a_reply_goes_on_behind_another_chat(bench: Bench) -> None:
    """The other chat is read meanwhile; back in its own chat the reply is there, and grows."""
    controller, worker = bench.controller, bench.worker
    bench.send()
    while worker.open:
        worker.end("<q0>")
    other = controller.chat.key
    controller.new_chat()
    bench.send()
    answering, grown = controller.chat, list[str]()
    controller.grew.connect(lambda _id, text: grown.append(text))
    worker.say("one ")
    controller.open_chat(other)
    assert [message.content for message in controller.chat.path()] == ["q0", "<q0>"] and not controller.running
    worker.say("two ")
    assert grown == ["one "]
    with pytest.raises(LockHeldError):
        ChatStore(bench.store.folder).load(answering.key)  # another window does not write it meanwhile
    controller.open_chat(answering.key)
    assert controller.chat is answering and controller.running and answering.path()[-1].content == "one two "
    worker.say("three ")
    controller.open_chat(other)
    worker.end("one two three four")
    assert not controller.busy and bench.running == [True, False, True, False, True, False]
    controller.open_chat(answering.key)
    assert controller.chat is not answering and controller.chat.path()[-1].content == "one two three four"
    assert bench.send()


def test_a_transcript_has_no_blank_before_its_first_word(bench: Bench) -> None:
    """As a model writes one; the tokens to hover over are those of the text."""
    assert bench.controller.send_sound(SoundPrompt("/s.wav", timestamps=False))
    bench.worker.end("")
    bench.worker.say(" One")
    bench.worker.say(" two")
    message = bench.controller.chat.last("assistant")
    assert message is not None and message.content == "One two"
    assert [one.text for one in message.trace] == ["One", " two"]
    bench.worker.end(" One two three")
    assert message.content == "One two three"


def test_closing_with_a_reply_behind_another_chat_saves_both(bench: Bench) -> None:
    controller, worker = bench.controller, bench.worker
    bench.send()
    while worker.open:
        worker.end("<q0>")
    other = controller.chat.key
    controller.new_chat()
    bench.send()
    worker.say("<q1>")
    answering = controller.chat.key
    controller.open_chat(other)
    controller.shut()
    kept = ChatStore(bench.store.folder)
    assert kept.begin() == other
    last = kept.load(answering).last("assistant")
    assert last is not None and last.reply is not None and (last.content, last.reply.ended) == ("<q1>", "interrupted")
    kept.close()


def test_closing_while_the_bundle_opens_ends_the_reply_once(bench: Bench) -> None:
    bench.send()
    bench.controller.shut()
    while bench.worker.open:
        bench.worker.end("<q0>")
    (saved,) = run_at_once(bench.store.saved())
    reply = replies(bench.controller.chat)[0].reply
    assert (reply.ended, list(bench.ends.values()), saved.key) == ("interrupted", [1], bench.controller.chat.key)
    assert not any(isinstance(job.request, Generate) for job in bench.worker.all)


def test_another_reply_of_greedy_decoding_is_the_same_and_says_so(bench: Bench) -> None:
    """Not where tokens are drawn, and not where another bundle answers."""
    bench.send()
    while bench.worker.open:
        bench.worker.end("one")
    for temperature, bundle, noted in ((0.0, BUNDLES[0], True), (0.8, BUNDLES[0], False), (0.0, BUNDLES[1], False)):
        bench.bundle = bundle
        bench.controller.sampling = replace(bench.controller.sampling, temperature=temperature)
        assert bench.controller.regenerate()
        while bench.worker.open:
            bench.worker.end("one")
        last = bench.controller.chat.last("assistant")
        assert last is not None and last.reply is not None
        assert any("Greedy decoding gives the same reply" in one for one in last.reply.notices) is noted

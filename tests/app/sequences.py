"""Random sequences of actions in a window over fake workers, and what must hold for its visible texts after each.

    python -m tests.app.sequences --seed 0 --count 50          (with DISPLAY: in a real X server)

A walk is one window; its sequences follow each other, so each begins in whatever the one before left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QAbstractButton, QComboBox, QDialog, QLabel, QWidget

from app.chat import intents
from app.chat.chat_list import ChatList
from app.chat.decoding.decoding_options import DecodingOptions, ReplyForms
from app.chat.frame import LastBundleHint
from app.chat.page import ChatPage
from app.chat.sampling import SamplingSettings
from app.chat.tasks.depth_view import DepthView
from app.chat.tasks.embedding_view import EmbeddingView
from app.chat.tasks.label_view import LabelView
from app.chat.tasks.picture_label_view import PictureLabelView
from app.chat.transcript import Transcript
from app.devices.device_card import DeviceCard
from app.frame.note_line import ErrorBanner
from app.frame.status_line import MOST
from app.home.page import HomePage
from app.inspect.inspect_page import InspectPage
from app.jobs.time_slices import run_at_once
from app.main import PAGES, application
from app.server.page import ServerPage
from app.state.build import BuildState
from app.state.bundle_use import use_of
from app.state.context import AppContext
from app.text.formatting import format_number
from app.window import MainWindow
from tests.app.conftest import fake_summary, make_bundle
from tests.app.stray_windows import no_stray_windows
from tests.fakes.inspections import BUNDLE
from tests.fakes.worker import program
from workflows.wire.requests import Build

CAPACITIES = {"alphabundle": 4096, "betabundle": 64, "gammabundle": 512, "speechbundle": 448}
"""The bundles of a walk, with their slots; no other text of the window has these names."""
TASKS: dict[str, dict[str, object]] = {
    "classifierbundle": {"task": "text-classification", "labels": 3},
    "spanbundle": {"task": "token-classification", "labels": 5},
    "rerankerbundle": {"task": "text-classification", "labels": 1},
    "embedderbundle": {"task": "feature-extraction"},
    "picturebundle": {"task": "image-classification", "labels": 10},
    "depthbundle": {"task": "depth-estimation"},
    "maskbundle": {"task": "fill-mask"},
}
"""The bundles that do not chat, with the facts of their files."""
NAMES = (*CAPACITIES, *TASKS)
LENGTH = 12
"""Actions of a sequence."""
PAGE_NAMES = ("home", "build", "inspect", "chat", "measure", "devices", "server")


def scenario(folder: Path) -> dict[str, Any]:
    """What the workers of a walk do: `betabundle` completes texts, and opening and tokens take a little."""
    return {
        "capacities": CAPACITIES,
        "bases": ["betabundle"],
        "seeing": ["gammabundle"],
        "listening": ["speechbundle"],
        "reply": "It is 56.",
        "tokens": 30,
        "delay": 0.004,
        "inspection": BUNDLE,
        "state": str(folder / "counts.json"),
    }


class Walk:
    """One window; `act` performs a random action, `check` raises AssertionError where a visible text is not true."""

    def __init__(self, window: MainWindow, folder: Path, seed: int) -> None:
        self.window, self.context, self.folder = window, window.context, folder
        self.random = random.Random(seed)
        self.done: list[str] = []
        self._number = 0
        self._shown_anew = False
        for name in NAMES:
            self._make(name)
        self._seen = self._asked_from = ""
        self._end = self.context.build._end
        self.context.build._end = self._see_end  # type: ignore[method-assign]  # before all who hear of it
        self.context.build.finished.connect(self._on_built)
        self.context.demo.stepped.connect(self._on_demo_step)
        page = window.stack.page("chat")
        assert isinstance(page, ChatPage)
        self.chat = page
        self._actions: dict[str, tuple[int, Callable[[], object]]] = {
            "open": (5, self._open),
            "page": (5, lambda: window.show_page(self.random.choice(PAGE_NAMES))),
            "chat": (3, lambda: window.show_page("chat")),
            "send": (5, lambda: self.chat.send(f"question {self.random.randrange(99)}")),
            "stop": (2, lambda: self.chat.do(intents.Stop())),
            "new chat": (2, lambda: self.chat.do(intents.NewChat())),
            "open chat": (3, self._open_chat),
            "delete chat": (1, lambda: self._with_chat(intents.DeleteChat)),
            "regenerate": (1, lambda: self.chat.do(intents.Regenerate())),
            "kill": (1, self._kill),
            "remove folder": (1, self._remove),
            "restore folder": (2, self._restore),
            "build": (1, self._build),
            "background build": (2, self._build_behind),
            "texts": (2, self._texts),
            "cancel build": (1, lambda: self.context.build.cancel() if self.context.build.running else None),
            "settings": (2, self._settings),
            "close session": (1, self.context.session.close),
            "forget": (1, self._forget),
            "wait": (4, lambda: self.wait(self.random.choice((0.0, 0.02, 0.1)))),
        }

    # -- actions -----------------------------------------------------------------------------------------

    def sequence(self, length: int = LENGTH) -> None:
        """One sequence; what holds is checked after each action, and the rest once the window is at rest."""
        self.done.clear()
        for _ in range(length):
            self.act()
            process()
            self.check()
        self.wait(0.05)
        self.check()

    def act(self) -> None:
        """A random action."""
        names = list(self._actions)
        name = self.random.choices(names, [self._actions[one][0] for one in names])[0]
        self.done.append(name)
        before = self.window.stack.currentWidget()
        self._actions[name][1]()
        self._shown_anew = self.window.stack.currentWidget() is not before

    def wait(self, seconds: float) -> None:
        """Lets the window live."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            process()
            time.sleep(0.002)

    def _open(self) -> None:
        self.context.open_bundle(self.folder / self.random.choice(NAMES))

    def _make(self, name: str) -> None:
        folder = make_bundle(self.folder / name)
        if name in TASKS:
            (folder / "task").write_text(json.dumps(TASKS[name]), "utf-8")

    def _build_behind(self) -> None:
        """A build that ends while something else is done; it opens nothing by itself."""
        if not self.context.build.running:
            self._number += 1
            self.context.build.start(
                Build("demo:qwen3", str(self.folder / "home" / "bundles" / f"built{self._number}"))
            )

    def _see_end(self, state: BuildState) -> None:
        self._seen = self.name
        self._end(state)

    def _on_built(self) -> None:
        asked = self._asked_from == self._seen and self.name.startswith("qwen3-demo")  # a click on "Try the demo"
        assert asked or self.name == self._seen, f"a build that ended has opened {self.name} in place of {self._seen}"

    def _texts(self) -> None:
        """Texts or pictures are given to the page of the current bundle, if it has one."""
        shown = self.chat.views.currentWidget()
        if isinstance(shown, EmbeddingView | LabelView):
            self.window.show_page("chat")
            self.random.choice((shown.texts.examples, shown.texts.start, shown.texts.stop)).click()
        elif isinstance(shown, PictureLabelView | DepthView):
            self.window.show_page("chat")
            panel = shown.pictures
            self.random.choice((*panel.examples, panel.start, panel.stop)).click()

    def _with_chat(self, intent: Callable[[str], intents.Intent]) -> None:
        saved = run_at_once(self.chat.store.saved())
        if saved:
            self.chat.do(intent(self.random.choice(saved).key))

    def _open_chat(self) -> None:
        self._with_chat(intents.OpenChat)

    def _kill(self) -> None:
        if self.context.session_worker.pid:
            os.kill(self.context.session_worker.pid, signal.SIGKILL)

    def _remove(self) -> None:
        shutil.rmtree(self.folder / self.random.choice(NAMES), ignore_errors=True)

    def _restore(self) -> None:
        for name in NAMES:
            if not (self.folder / name).exists():
                self._make(name)

    def _build(self) -> None:
        home = self.window.stack.page("home")
        assert isinstance(home, HomePage)
        home.start_demo()

    def _on_demo_step(self, step: str) -> None:
        """The demo was asked for, whoever clicked."""
        if step == "looking":
            self._asked_from = self.name

    def _settings(self) -> None:
        choices = self.chat.choices
        choices.set_sampling(self.random.choice((SamplingSettings(), SamplingSettings(0.7, 40, 0.95))))
        forms = ReplyForms("json_schema", '{"type": "object"}') if self.random.random() < 0.5 else ReplyForms()
        choices.decoding.choose(DecodingOptions(forms=forms))

    def _forget(self) -> None:
        entries = self.context.recents.entries
        if entries:
            self.context.recents.remove(self.random.choice(entries).path)

    # -- what holds --------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raises AssertionError with the actions so far."""
        try:
            self._check_bundle_bar()
            self._check_foreign_names()
            if self.chat.frame.isVisible() and (self.bundle is None or use_of(self.bundle) == "chat"):
                self._check_chat()
            self._check_task()
            self._check_inspect()
            self._check_home()
            self._check_status()
        except AssertionError as error:
            raise AssertionError(f"after {', '.join(self.done)}: {error}") from error

    @property
    def bundle(self) -> dict[str, Any] | None:
        return self.context.bundle

    @property
    def name(self) -> str:
        return str(self.bundle["name"]) if self.bundle else ""

    def _check_bundle_bar(self) -> None:
        bar, ready = self.window.bar, self.context.ready
        assert bar.chooser.text() == (self.name or "none")
        if self.bundle is not None and use_of(self.bundle) == "chat":
            texts = {pill.text() for pill in bar.findChildren(QLabel) if pill.isVisible()}
            assert (ready.provider if ready else "not loaded") in texts, texts
            capacity = ready.capacity if ready else self.bundle["capacity"]
            assert any(format_number(capacity) in text for text in texts), (capacity, texts)

    def _check_foreign_names(self) -> None:
        """No text names another bundle than the current one, except lists, replies and errors."""
        listed = (
            Transcript,
            ChatList,
            LastBundleHint,
            HomePage,
            ServerPage,
            DeviceCard,
            QComboBox,
            QDialog,
            ErrorBanner,
        )  # these name what they are of
        reading = self.chat.controller.running or self.context.session.busy
        for widget, text in visible_texts(self.window):
            if inside(widget, listed) or inside(widget, (type(self.window.stack.page("measure")),)):
                continue
            for name in NAMES:
                if name in text and name != self.name:
                    # a reply of the bundle before may run out, and its window says where it runs
                    assert reading, f"{name} stands in {text!r} of {type(widget).__name__}, {self.name} is current"

    def _check_chat(self) -> None:
        page, context = self.chat, self.context
        ready, chat = context.ready, page.controller.chat
        usage = page.context_bar.usage.text()
        if self.bundle is None:
            assert usage == "context: no bundle is open"
        elif ready is None:
            assert usage == "context: the bundle is not loaded"
        else:
            assert f"of {format_number(ready.capacity)} tokens" in usage, usage
            assert ready.capacity == CAPACITIES.get(self.name, 4096)
        chips = page.frame.chips.chips
        if self.bundle is not None:
            error = context.session.error
            ended = error is not None and error.kind in ("crashed", "stopped")
            failed = "its worker ended" if ended else "could not be opened"
            expected = {"opening": "opening …", "failed": failed}.get(page.opener.state, "not loaded")
            expected = f"loaded on {ready.provider}" if ready else expected
            chip = chips[0].setting
            assert (chip.name, chip.value) == (page.opener.title, expected), (chip.name, chip.value, expected)
            assert chips[0].setting.name.split(" · ")[0] == self.name
        form = page.controller.decoding.forms.kind is not None
        assert form == any(chip.setting.name == "Form" for chip in chips)
        assert page.header.heading.accessibleName() == (chat.title or "New chat")
        completes = ready is not None and self.name == "betabundle"
        listens = ready is not None and self.name == "speechbundle"
        assert page.composer.edit.isHidden() == listens
        assert listens or page.composer.edit.placeholderText() == (
            "Continue the text" if completes else "Ask something"
        )
        assert page.panel.provider.currentData() == (ready.provider if ready else "cpu")
        assert (page.composer.button.text() == "Stop") == page.controller.running
        assert not page.controller.running or context.session.busy
        if len(chat) and not page.controller.running:
            shown = [view.message for view in page.transcript.views]
            assert shown == chat.path()[-len(shown) :], "the transcript is another chat's"
        other = bool(len(chat) and chat.bundle and self.bundle and chat.bundle != page.opener.path)
        assert page.frame.last_bundle.isVisible() == (other and not page.controller.running)
        self._check_banner()

    def _check_task(self) -> None:
        """A bundle that does not chat has its own page, or a reason; figures on it are its own."""
        shown, use = self.chat.views.currentWidget(), use_of(self.bundle)
        if isinstance(shown, EmbeddingView | LabelView):
            assert use in ("vectors", "labels"), use
            assert shown.model.bundle == str((self.bundle or {})["path"]) and self.name in shown.heading.text()
            ranks = self.name == "rerankerbundle"
            assert not isinstance(shown, LabelView) or shown.query.isHidden() != ranks
        elif isinstance(shown, PictureLabelView | DepthView):
            assert use == ("depth" if isinstance(shown, DepthView) else "pictures"), use
            assert shown.model.bundle == str((self.bundle or {})["path"]) and self.name in shown.heading.text()
        elif shown is self.chat.frame:
            assert use in ("chat", ""), use
            if self.bundle is not None and not use:
                assert self.name in self.chat.frame.no_bundle.title.text()

    def _check_banner(self) -> None:
        """A banner that offers to open again stands only where nothing is open."""
        offers = {"Reopen", "Try again", "Verify bundle"}
        for button in self.chat.banner.findChildren(QAbstractButton):
            if button.isVisible() and button.text() in offers and "unchanged" not in self.chat.banner.message:
                assert self.chat.opener.state in ("failed", "closed"), self.chat.banner.message

    def _check_inspect(self) -> None:
        page = self.window.stack.built("inspect")
        if isinstance(page, InspectPage) and page.isVisible() and self.bundle is not None:
            reading = page.heading.text() == f"Reading {self.name} …"
            assert reading or page.inspection is None or page.inspection.path == self.bundle["path"]

    def _check_home(self) -> None:
        page = self.window.stack.built("home")
        assert isinstance(page, HomePage) or page is None
        if page is not None:
            entries = self.context.recents.entries
            assert [row.entry.path for row in page.rows] == [entry.path for entry in entries]
        if page is not None and page.isVisible() and self._shown_anew:
            for row in page.rows:  # one that went is not offered for a chat, and one that came back is
                assert row.entry.missing == bool(row.entry.problem), row.entry

    def _check_status(self) -> None:
        status, activities = self.window.status, self.context.activities
        jobs = [*activities.failures, *activities.running][-MOST:]
        assert set(status.chips) == set(jobs), (status.visible_texts, jobs)
        if not status.text.isHidden() and status.text.text() == "Bundle is open":
            assert self.context.ready is not None


def visible_texts(window: QWidget) -> Iterator[tuple[QWidget, str]]:
    """The text of each visible label and button."""
    for widget in window.findChildren(QWidget):
        if isinstance(widget, QLabel | QAbstractButton) and widget.isVisible():
            yield widget, widget.text()


def inside(widget: QWidget, kinds: tuple[type[QWidget], ...]) -> bool:
    """Whether the widget, or one around it, is of one of these classes."""
    one: QWidget | None = widget
    while one is not None:
        if isinstance(one, kinds):
            return True
        one = one.parentWidget()
    return False


def process() -> None:
    """Runs what is pending, deletions included."""
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # type: ignore[arg-type]


@contextmanager
def walk(folder: Path, seed: int) -> Iterator[Walk]:
    """A window of its own in `folder`, closed at the end."""
    context = AppContext(folder / "home", program(**scenario(folder)), fake_summary)
    window = MainWindow(context, PAGES)
    try:
        with no_stray_windows():
            window.show()
            yield Walk(window, folder, seed)
    finally:
        context.close()  # first: a window asks before it ends what runs
        window.close()
        window.deleteLater()
        context.deleteLater()
        process()


def use_display() -> None:
    """Shows the windows in the X server that DISPLAY names, if there is one; tests have none without asking."""
    if "DISPLAY" in os.environ:
        os.environ["QT_QPA_PLATFORM"] = "xcb"


def main(arguments: list[str]) -> int:
    """Walks in windows of 25 sequences each; ends with 1 where something does not hold, in a slot too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=50)
    options = parser.parse_args(arguments)
    use_display()
    application()
    raised: list[BaseException] = []
    sys.excepthook = lambda kind, error, trace: (raised.append(error), sys.__excepthook__(kind, error, trace))
    began = time.monotonic()
    for first in range(0, options.count, 25):
        with tempfile.TemporaryDirectory() as folder, walk(Path(folder), options.seed + first) as one:
            for number in range(first, min(first + 25, options.count)):
                one.sequence()
                if raised:
                    print("after", ", ".join(one.done))
                    return 1
                print(f"\r{number + 1} sequences hold", end="", flush=True)
    print(f"\r{options.count} sequences of {LENGTH} actions hold ({time.monotonic() - began:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

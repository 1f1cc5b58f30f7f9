"""The tour: the real window converts the demo, chats with it, and saves a picture of every page.

    window ─ Home "Try the demo" ─ the build ─ chat ─ a streamed reply ─ every page, light and dark

Runs without a display (QT_QPA_PLATFORM=offscreen). The exit code is 0 only if a reply arrived and all pictures were
written.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPoint, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QWidget

from app.chat.page import ChatPage
from app.home.page import HomePage
from app.state.unsaved_recipe import DEMO
from app.text.formatting import pluralize
from app.widgets.theme import theme
from app.window import MainWindow

QUESTIONS = ("What is 8 times 7?", "And 9 plus 6?", "What is the capital of France?", "What is the opposite of hot?")
SIZE = (1280, 800)
PATIENCE_S = 900.0


class TourError(Exception):
    """The tour cannot go on; the message says why."""


def process_events_for(seconds: float) -> None:
    """Runs the event loop for a while."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def process_events_until(done: Callable[[], bool], what: str, patience: float = PATIENCE_S) -> None:
    """Runs the event loop until `done`. Raises TourError when that takes too long."""
    end = time.monotonic() + patience
    while not done():
        if time.monotonic() > end:
            raise TourError(f"gave up waiting for {what}")
        process_events_for(0.02)


def write_line(text: str, end: str = "\n") -> None:
    """Writes to the terminal and flushes."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


class Tour:
    """One tour through a window. pictures: the files that were written."""

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self.window = window
        self.context = window.context
        self.folder = folder
        self.pictures: list[Path] = []
        self.reply = ""

    def run(self) -> None:
        """Runs all steps. Raises TourError if one fails."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.window.resize(*SIZE)
        self.window.show()
        QCursor.setPos(self.window.mapToGlobal(QPoint(640, SIZE[1] - 10)))  # where nothing lights up
        process_events_for(0.3)
        self.build()
        self.chat()
        self.photograph()

    def build(self) -> None:
        """Builds the demo by one click, unless it is built already."""
        home = self.window.stack.page("home")
        ready = next((e for e in self.context.recents.entries if e.summary and "qwen3-demo" in e.path), None)
        if ready is not None:
            write_line(f"The demo is built already: {ready.path}")
            self._open(ready.path)
            return
        write_line(f"Converting {DEMO}")
        assert isinstance(home, HomePage)
        home.start_demo()
        process_events_until(lambda: self.context.demo.step != "looking", "the build to begin", 60)
        if self.context.build.request is None:
            raise TourError(self.window.banner.message)
        self._follow_build()

    def _follow_build(self) -> None:
        build, printed = self.context.build, set[tuple[str, str]]()
        while build.running:
            self._print_stages(printed)
            process_events_for(0.05)
        self._print_stages(printed)
        if build.outcome is None:
            raise TourError(build.error.message if build.error else "the build ended without a bundle")
        write_line(f"Built {build.outcome.bundle} in {build.outcome.seconds:.1f} s")
        process_events_for(0.2)
        self._open(build.outcome.bundle)

    def _print_stages(self, printed: set[tuple[str, str]]) -> None:
        for row in self.context.build.rows:
            key = (row.stage, row.state)
            if row.ended and key not in printed:
                printed.add(key)
                write_line(f"  {row.stage} {row.state} {row.seconds:.1f} s")

    def _open(self, path: str) -> None:
        if not self.context.open_bundle(path):
            raise TourError(self.window.banner.message)

    def chat(self) -> None:
        """Asks the questions, and writes each reply to the terminal while it streams."""
        self.window.show_page("chat")
        process_events_for(0.2)
        page, session = self.window.stack.page("chat"), self.context.session
        assert isinstance(page, ChatPage)
        ends: list[object] = []
        session.token.connect(self._on_token)
        session.finished.connect(ends.append)
        session.failed.connect(ends.append)
        for question in QUESTIONS:
            self._ask(page, question, ends)
            process_events_for(0.3)

    def _ask(self, page: ChatPage, question: str, ends: list[object]) -> None:
        ends.clear()
        self.reply = ""
        write_line(f"> {question}")
        began = time.monotonic()
        page.send(question)
        process_events_until(lambda: bool(ends), "the reply", 120)
        write_line("")
        if not self.reply:
            raise TourError(str(getattr(ends[0], "message", "no reply came")))
        speed = getattr(ends[0], "decode_tokens_per_s", 0)
        write_line(f"Reply after {time.monotonic() - began:.2f} s: {speed:.0f} tok/s")

    def _on_token(self, event: object) -> None:
        text = str(getattr(event, "text", ""))
        self.reply += text
        write_line(text, end="")

    def photograph(self) -> None:
        """Saves every page, light and dark."""
        before = theme().mode
        for mode in ("light", "dark"):
            theme().set_mode(mode)
            for name in self.window.stack.names:
                self.window.show_page(name)
                process_events_for(1.2 if mode == "light" else 0.4)
                process_events_until(lambda: self.context.activities.idle, f"the page {name}", 120)
                process_events_for(0.1)  # what came last is drawn
                self._save(self.window, f"{name}-{mode}")
        theme().set_mode(before)

    def _save(self, widget: QWidget, name: str) -> None:
        file = self.folder / f"{name}.png"
        if not widget.grab().save(str(file)):
            raise TourError(f"{file} could not be written")
        self.pictures.append(file)


def run_tour(app: QApplication, window: MainWindow, folder: Path) -> int:
    """Runs the tour, reports where the pictures are, closes the window; returns the exit code."""
    walk = Tour(window, folder)
    try:
        walk.run()
    except TourError as error:
        write_line(f"The tour stopped: {str(error).rstrip('.')}.")
        return 1
    finally:
        window.close()
        app.processEvents()
    write_line(f"{pluralize(len(walk.pictures), '1 picture', '{0} pictures')} in {folder.absolute()}")
    return 0

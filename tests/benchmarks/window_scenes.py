"""What happens in the window's process while it is measured: see `tests.benchmarks.window`."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from app.chat.page import ChatPage
from app.chat.sampling import SamplingSettings
from app.home.page import HomePage
from app.jobs.worker_client import WorkerClient
from app.main import PAGES, application
from app.state.context import AppContext
from app.state.recent_bundles import read_summary
from app.window import MainWindow
from tests.benchmarks.heartbeat import Heartbeat
from tests.fakes.worker import program
from workflows.wire.requests import Build

PATIENCE_S = 180.0
SETTLE_S = 3.0
QUESTION = "What is 8 times 7?"
PROSE = " ".join(f"word{i} of a reply that goes on and on," for i in range(40))


class MixedContext(AppContext):
    """A session over the fake worker beside real builds: one of both needs a certain rate."""

    def __init__(self, session: Sequence[str]) -> None:
        self._session_program: Sequence[str] | None = session
        super().__init__()

    def new_worker(self) -> WorkerClient:
        """The first one asked for is the session's."""
        self.program, self._session_program = self._session_program, None
        return super().new_worker()


def live(seconds: float) -> None:
    """The event loop runs."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def until(done: Callable[[], bool]) -> float:
    """The event loop runs until `done`; the clock then."""
    end = time.perf_counter() + PATIENCE_S
    while not done():
        if time.perf_counter() > end:
            raise TimeoutError("what the scene waits for does not happen")
        live(0.001)
    return time.perf_counter()


def ms(since: float, now: float) -> float:
    """Milliseconds between two clocks."""
    return (now - since) * 1000


def press(button: QAbstractButton) -> float:
    """A click; the clock before it."""
    began = time.perf_counter()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    return began


def open_window(context: AppContext | None = None, settle: float = SETTLE_S) -> MainWindow:
    """The window on Home, after what it does when it starts."""
    application()
    window = MainWindow(context or AppContext(), PAGES)
    window.show_page("home")
    window.show()
    window.stack.preload()
    window.activateWindow()
    live(settle)
    return window


def chat_of(window: MainWindow) -> ChatPage:
    """The chat page."""
    page = window.stack.page("chat")
    assert isinstance(page, ChatPage)
    return page


def start_demo(window: MainWindow) -> float:
    """Presses what Home offers for a demo that was built; the clock before it."""
    home = window.stack.page("home")
    assert isinstance(home, HomePage) and home.demo_bundle() is not None
    return press(home.demo)


def write(page: ChatPage, text: str) -> None:
    """A prompt, key by key."""
    QTest.keyClicks(page.composer.edit, text)


def shown(page: ChatPage) -> bool:
    """Whether the last reply has text on the screen."""
    views = page.transcript.views
    return bool(views) and views[-1].message.role == "assistant" and bool(views[-1].text.toPlainText())


def click(at_once: bool = False) -> dict[str, Any]:
    """From "Chat with the demo" over typing to the first token; `at_once` does not wait for the bundle to open."""
    window = open_window()
    clicked = start_demo(window)
    page = chat_of(window)
    typing = until(lambda: page.isVisible() and page.composer.edit.isEnabled())
    opened = typing if at_once else until(lambda: page.session.state == "ready")
    write(page, QUESTION)
    sent = press(page.composer.button)
    token = until(lambda: shown(page))
    until(lambda: not page.controller.running)
    window.close()
    return {
        "type_ms": ms(clicked, typing),
        "open_ms": ms(clicked, opened),
        "send_ms": ms(sent, token),
        "whole_ms": ms(clicked, token),
    }


def kill() -> dict[str, Any]:
    """The worker dies amid a reply; the banner's button and another prompt."""
    window = open_window()
    start_demo(window)
    page = chat_of(window)
    tokens: list[object] = []
    pid = window.context.session_worker.pid
    page.session.token.connect(tokens.append)
    page.session.token.connect(lambda _event: os.kill(pid, signal.SIGKILL) if len(tokens) == 20 else None)
    page.controller.sampling = SamplingSettings(temperature=5.0, max_new_tokens=2000)  # it babbles instead of ending
    write(page, QUESTION)
    press(page.composer.button)
    until(lambda: page.session.state == "failed" and page.banner.isVisible())
    page.controller.sampling = SamplingSettings()
    killed_at = len(tokens)
    message, action = page.banner.message, page.banner._action.text()
    pressed = press(page.banner._action)
    opened = until(lambda: page.session.state == "ready")
    write(page, QUESTION)
    press(page.composer.button)
    until(lambda: shown(page) and not page.controller.running)
    reply = page.transcript.views[-1].message.content
    window.close()
    return {
        "tokens": killed_at,
        "message": message,
        "action": action,
        "open_ms": ms(pressed, opened),
        "reply": reply,
    }


# -- stalls -------------------------------------------------------------------------------------------------------


class Builds:
    """One real build of the demo after the other, each from the beginning."""

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self._build = window.context.build
        self._folder = folder
        self._running = True
        self.count = 0
        self._build.finished.connect(self._next, Qt.ConnectionType.QueuedConnection)
        self._next()

    def _next(self) -> None:
        if self._running:
            self._build.start(Build("demo:qwen3", str(self._folder / str(self.count)), {}))
            self.count += 1

    def stop(self) -> None:
        """No further one; the one that runs is cancelled."""
        self._running = False
        self._build.cancel()
        until(lambda: not self._build.running)


def stall(name: str, seconds: float, rate: int) -> dict[str, Any]:
    """The heartbeat of a window that was just opened, through a whole reply and its end."""
    summary = read_summary(str(next((Path(os.environ["JOINERY_HOME"]) / "bundles").iterdir())))
    tokens = round(seconds * rate)
    context = MixedContext(program(tokens=tokens, rate=rate, reply=PROSE, finish_reason="length"))
    application()
    heart = Heartbeat()
    if name == "starting":
        heart.start()
    window = open_window(context)
    if name != "starting":
        heart.start()
    with tempfile.TemporaryDirectory() as folder:
        if name in ("starting", "idle"):
            live(seconds / 4)
            heart.stop()
            builds, reached = 0, 0.0
        else:
            builds, reached = stream_and_build(window, heart, name, summary["path"], Path(folder), tokens)
        window.close()
    gaps = [{"wall": g.wall, "own": g.own, "doing": g.doing} for g in heart.worst()]
    return {"figures": heart.figures(), "gaps": gaps, "builds": builds, "rate": reached}


def stream_and_build(
    window: MainWindow, heart: Heartbeat, name: str, bundle: str, folder: Path, tokens: int
) -> tuple[int, float]:
    """Opens, builds, asks, looks at the pages of the scene until the reply has ended; builds and tokens a second."""
    visit(window, heart, "build")
    builds = Builds(window, folder)
    live(1.0)
    heart.doing = "opens the bundle"
    window.context.open_bundle(bundle)
    visit(window, heart, "chat")
    page = chat_of(window)
    until(lambda: page.session.state == "ready")
    heart.doing = "sends"
    began = time.perf_counter()
    page.send(QUESTION)
    live(0.3)  # a person's hand takes as long from Send to another page
    walk(window, heart, name, lambda: page.controller.running)
    reached = tokens / (time.perf_counter() - began)
    heart.doing += ", the reply has ended"
    visit(window, heart, "chat")
    live(1.0)
    heart.stop()
    builds.stop()
    return builds.count, reached


def visit(window: MainWindow, heart: Heartbeat, page: str) -> None:
    """Shows a page as a click on the rail does."""
    first = "" if page in window.stack._built else ", first time"
    heart.doing = f"shows {page}{first}"
    window.show_page(page)


def walk(window: MainWindow, heart: Heartbeat, name: str, running: Callable[[], bool]) -> None:
    """Looks at one page, or at each in turn for half a second."""
    pages = window.stack.names if name == "switching" else [name]
    turn = 0
    while running():
        if turn < 1 or len(pages) > 1:
            visit(window, heart, pages[turn % len(pages)])
        turn += 1
        live(0.5)


# -- memory -------------------------------------------------------------------------------------------------------


def memory(tokens: int, reply: int = 2000) -> dict[str, float]:
    """Resident MiB of the window's process as replies of `reply` tokens come in; the last quarter alone as `late`."""
    window = open_window(AppContext(program=program(tokens=reply, reply=PROSE, finish_reason="length")))
    window.context.open_bundle(str(next(window.context.bundles_folder.iterdir())))
    window.show_page("measure")
    window.show_page("chat")
    page = chat_of(window)
    until(lambda: page.session.state == "ready")
    sizes = [resident()]
    for _ in range(tokens // reply):
        page.send(QUESTION)
        until(lambda: not page.controller.running)
        sizes.append(resident())
    window.close()
    last = sizes[-1] - sizes[len(sizes) * 3 // 4]
    return {"before": sizes[0], "after": sizes[-1], "growth": sizes[-1] - sizes[0], "in the last quarter": last}


def resident() -> float:
    """MiB of this process."""
    gc.collect()
    return float(psutil.Process().memory_info().rss) / 2**20

"""Starts of the window, each in a process and a home of its own: how it ended, its first picture, its longest stall.

    python -m tests.app.starts --count 200 [--jobs 2] [--load] [--click]          (with DISPLAY: in a real X server)

    home (dark, German, a chat with a sound, a bundle) ──copy──▶ window ──preloaded, SETTLE_S──▶ closed ──▶ exit code

--load has all cores computing beside it, --click shows a page every CLICK_MS meanwhile. Prints the Python stacks of
each window that a signal ended, and ends with 1 if there was one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import wave
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent

from app import main as entry
from app.__main__ import start
from app.startup.crash_reports import FOLDER, RUNNING
from app.state.chat_store import ChatStore
from app.state.conversation import Conversation
from app.state.settings import Settings
from app.window import MainWindow
from tests.benchmarks.heartbeat import Heartbeat
from workflows.process.subprocesses import exit_description
from workflows.wire.requests import SoundPrompt

SETTLE_S = 1.5
"""From the end of the preloading to the close."""
CLICK_MS = 120
TIMEOUT_S = 120.0
PAGES = ("chat", "home", "chat", "measure")
"""The pages that the window opens with, in turn."""


@dataclass(frozen=True)
class Start:
    """One start. code: of the process. picture_ms: from the process's start to the first picture. stall_ms: after it.

    loaded_ms: from the first picture to the end of the preloading. log: stderr.
    """

    code: int
    log: str
    picture_ms: float = 0.0
    stall_ms: float = 0.0
    loaded_ms: float = 0.0


class TimedWindow(MainWindow):
    """A main window that closes itself after the preloading, and prints its times as JSON."""

    began_ns = 0
    clicks = False
    _first_ns = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt's name: the children are painted after this and before the event loop goes on."""
        super().paintEvent(event)
        if not self._first_ns:
            self._first_ns = time.monotonic_ns()
            self._pulse = Heartbeat()
            self._poll = QTimer(self, interval=20)
            self._poll.timeout.connect(self._end_after_preload)
            QTimer.singleShot(0, self, self._begin)

    def _begin(self) -> None:
        self._first_ns = time.monotonic_ns()
        self._pulse.start()
        self._poll.start()
        self._names = itertools.cycle(self.stack.names)
        self._clicks = QTimer(self, interval=CLICK_MS)
        self._clicks.timeout.connect(lambda: self.show_page(next(self._names)))
        if self.clicks:
            self._clicks.start()

    def _end_after_preload(self) -> None:
        if self.stack.preloader.done:
            self._poll.stop()
            self._loaded_ns = time.monotonic_ns()
            QTimer.singleShot(round(SETTLE_S * 1000), self, self._end)

    def _end(self) -> None:
        self._pulse.stop()
        times = {
            "picture_ms": (self._first_ns - self.began_ns) / 1e6,
            "stall_ms": self._pulse.figures()["worst_ms"],
            "loaded_ms": (self._loaded_ns - self._first_ns) / 1e6,
        }
        sys.stdout.write(json.dumps(times) + "\n")
        sys.stdout.flush()
        self.close()


def make_home(home: Path) -> None:
    """A home as a person leaves it: the dark theme, German, a chat with a sound, a bundle that was open."""
    bundle = home / "bundles" / "qwen3-demo"
    command = [sys.executable, "-m", "workflows", "build", "demo:qwen3", "--out", str(bundle)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    sound = home / "question.wav"
    with wave.open(str(sound), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(bytes(32_000))
    store = ChatStore(home / "chats")
    store.begin()
    chat = Conversation()
    chat.bundle = str(bundle)
    chat.begin_reply(chat.add_sound(SoundPrompt(str(sound))).id).content = "Ein Satz."
    store.commit(chat)
    store.close()
    settings = Settings(home)
    for key, value in (("theme", "dark"), ("language", "de"), ("bundle", str(bundle))):
        settings.set(key, value)


def start_once(template: Path, number: int, clicks: bool) -> Start:
    """Starts the window in a copy of the home, which opens the original's bundle."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        shutil.copytree(template, home, ignore=shutil.ignore_patterns("bundles"))
        with (home / "window.ini").open("a") as settings:
            settings.write(f"page={PAGES[number % len(PAGES)]}\n")
        command = [sys.executable, "-m", "tests.app.starts", "--home", str(home)]
        command += ["--click"] if clicks else []
        try:
            done = subprocess.run(
                [*command, "--began", str(time.monotonic_ns())],
                env=os.environ | {"JOINERY_HOME": str(home)},
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
            )
        except subprocess.TimeoutExpired as late:
            return Start(1, f"not closed in {TIMEOUT_S:.0f} s: {late.stderr!r}")
        stacks = "".join(path.read_text() for path in (home / FOLDER).glob(f"*{RUNNING}"))
    times: dict[str, Any] = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}
    return Start(done.returncode, done.stderr + stacks, **times)


@contextmanager
def loaded(processes: int) -> Iterator[None]:
    """Processes that compute meanwhile."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


def report(starts: list[Start]) -> int:
    """Prints the stacks of the failures and a summary; returns the exit code."""
    for one in starts:
        if one.code:
            sys.stdout.write(f"-- {exit_description(one.code)}\n{one.log}\n")
    ends = Counter(exit_description(one.code) for one in starts)
    sys.stdout.write(f"{len(starts)} starts: " + ", ".join(f"{count} {end}" for end, count in ends.items()) + "\n")
    for name in ("picture_ms", "stall_ms", "loaded_ms"):
        values = sorted(value for one in starts if (value := getattr(one, name)))
        if values:
            p95 = values[int(len(values) * 0.95)]
            sys.stdout.write(
                f"{name:10} median {statistics.median(values):6.0f}  p95 {p95:6.0f}  most {values[-1]:6.0f}\n"
            )
    return int(any(one.code for one in starts))


def main(arguments: list[str]) -> int:
    """The exit code: 1 if a window did not end with 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--click", action="store_true")
    parser.add_argument("--home", help=argparse.SUPPRESS)
    parser.add_argument("--began", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.home:
        TimedWindow.began_ns, TimedWindow.clicks = options.began, options.click
        entry.MainWindow = TimedWindow  # type: ignore[misc]
        return start(["--home", options.home])
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder)
        make_home(template)
        with loaded(os.cpu_count() or 1 if options.load else 0), ThreadPoolExecutor(options.jobs) as pool:
            starts = pool.map(lambda number: start_once(template, number, options.click), range(options.count))
            return report(list(starts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Every phase of a window's life, and the longest that its thread was away from the events in each.

    python -m tests.benchmarks.stalls [--only start idle graph …] [--nodes 20000] [--where MS]

    one process a phase ──▶ a window over the fake worker ──Heartbeat──▶ worst gaps, by the thread and by the wall

`own` is time of the GUI thread on a core (on a busy machine the wall's is another's too); `total` is all that the
thread computed in the phase; `rss` what the process grew by. --where tells what the thread was in when it was away for
longer than so many milliseconds. Prints figures and asserts no clock.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtCore import QEventLoop, QTimer

from app.main import PAGES, application
from app.state.context import AppContext
from app.window import MainWindow
from tests.app.conftest import fake_summary, make_bundle
from tests.benchmarks.heartbeat import Heartbeat
from tests.fakes.graphs import decoder_graph, diff_of, flat_graph
from tests.fakes.inspections import BUNDLE
from tests.fakes.runs import history
from tests.fakes.worker import program
from workflows.wire.codec import dumps
from workflows.wire.requests import GraphReference

REPLY = "A cache keeps the keys and values of each token seen. " * 20


def live(seconds: float) -> None:
    """The event loop runs."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def until(done: Callable[[], object], seconds: float = 60.0) -> None:
    """The event loop runs until `done`."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise TimeoutError("what the phase waits for does not happen")
        live(0.003)


def resident() -> float:
    """MiB of this process."""
    return float(psutil.Process().memory_info().rss) / 2**20


class Away:
    """Tells what the thread was in while it did not beat; from a thread that looks every few milliseconds."""

    def __init__(self, pulse: Heartbeat, limit: float) -> None:
        self._pulse, self._limit = pulse, limit / 1000
        self._told = 0.0
        self._main = threading.get_ident()
        if limit:
            threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            time.sleep(0.004)
            beat = self._pulse.since
            if beat and beat != self._told and time.perf_counter() - beat > self._limit:
                self._told = beat
                lines = traceback.extract_stack(sys._current_frames()[self._main])[-7:]
                said = " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(lines))
                sys.stdout.write(f"      [{self._pulse.doing}] {said}\n")


class Phase:
    """One phase in a process of its own: a window, its pulse, and what is told of each act in it."""

    def __init__(self, folder: Path, nodes: int, where: float) -> None:
        self.home, self.nodes, self.where = folder, nodes, where
        self.pulse = Heartbeat()
        self.window: MainWindow

    def open(self, settle: float = 4.0, **scenario: object) -> None:
        """A window after what it does when it starts."""
        application()
        self.away = Away(self.pulse, self.where)
        context = AppContext(self.home, program(**scenario), fake_summary)
        self.window = MainWindow(context, PAGES)
        self.window.resize(1280, 800)
        self.window.show()
        self.window.stack.preload()
        live(settle)
        until(lambda: self.window.stack.preloader.done)

    def bundle(self) -> None:
        """A bundle is current."""
        path = self.home / "bundles" / "qwen3-demo"
        if not path.exists():
            make_bundle(path)
        self.window.context.open_bundle(path)

    @contextmanager
    def act(self, name: str, rest: float = 0.3) -> Iterator[None]:
        """What is done in it, until the window has nothing to do with it any more, has a line of figures."""
        gc.collect()
        before = resident()
        self.pulse.doing = name
        self.pulse.start()
        began = time.perf_counter()
        yield
        took = time.perf_counter() - began
        live(rest)
        self.pulse.stop()
        say(name, self.pulse, took, resident() - before)

    def close(self) -> None:
        """The end of it."""
        self.where = 0.0
        self.window.context.close()  # first: a window asks before it ends what runs
        self.window.close()
        self.window.deleteLater()
        self.window.context.deleteLater()
        live(0.05)


def say(name: str, pulse: Heartbeat, took: float, grown: float) -> None:
    """One line."""
    own = max(gap.own for gap in pulse.gaps)
    wall = max(gap.wall for gap in pulse.gaps)
    total = sum(gap.own for gap in pulse.gaps)
    over = sum(gap.own > 50 for gap in pulse.gaps)
    sys.stdout.write(
        f"  {name:34} own {own:6.1f}  clock {wall:6.1f}  own over 50: {over:2}  total {total:7.0f} ms  "
        f"took {took * 1000:6.0f}  rss {grown:+6.1f} MiB\n"
    )
    sys.stdout.flush()


def start(phase: Phase) -> None:
    """Importing, the window's making, its first picture, and what is done ahead after it."""
    began = time.thread_time()
    application()
    phase.away = Away(phase.pulse, phase.where)
    sys.stdout.write(f"  {'to QApplication':34} own {began * 1000:6.0f} ms of this process\n")
    with phase.act("window made and shown", 0.0):
        phase.window = MainWindow(AppContext(phase.home, program(), fake_summary), PAGES)
        phase.window.resize(1280, 800)
        phase.window.show()
        live(0.05)
    with phase.act("first picture to idle", 2.0):
        phase.window.stack.preload()
        until(lambda: phase.window.stack.preloader.done)


def idle(phase: Phase) -> None:
    """Nothing happens for a while, on Home and with a bundle open on the chat."""
    phase.open()
    with phase.act("idle, Home, 10 s", 10.0):
        pass
    phase.bundle()
    phase.window.show_page("chat")
    until(lambda: phase.window.context.session.state == "ready")
    live(1.0)
    with phase.act("idle, chat with a bundle, 10 s", 10.0):
        pass


def pages(phase: Phase) -> None:
    """Each page for the first time and again."""
    phase.open(inspection=BUNDLE)
    phase.bundle()
    live(1.0)
    for turn in ("first", "again"):
        for name in phase.window.stack.names:
            with phase.act(f"{name}, {turn}"):
                phase.window.show_page(name)


def theme(phase: Phase) -> None:
    """Light, dark, and light again on each page, after all were seen; then the other pages."""
    phase.open(inspection=BUNDLE, reply=REPLY, tokens=200)
    phase.bundle()
    window = phase.window
    for name in window.stack.names:
        window.show_page(name)
        live(0.5)
    window.show_page("chat")
    for _ in range(5):
        until(lambda: window.context.session.state == "ready")
        window.stack.page("chat").send("And then?")  # type: ignore[attr-defined]
        live(0.1)
        until(lambda: not window.context.session.busy)
    for front in window.stack.names:
        window.show_page(front)
        live(0.3)
        for mode in ("dark", "light"):
            with phase.act(f"{front} turns {mode}"):
                window.set_theme(mode)
    for name in window.stack.names:
        with phase.act(f"then {name}"):
            window.show_page(name)


def graphs(make: Callable[[int], object], kind: str) -> Callable[[Phase], None]:
    """A graph opened, looked through, compared."""

    def run(phase: Phase) -> None:
        answer = make(phase.nodes)
        graph, diff = phase.home / "graph.json", phase.home / "diff.json"
        graph.write_text(dumps(answer))
        diff.write_text(dumps(diff_of(answer)))  # type: ignore[arg-type]
        del answer
        phase.open(graph=str(graph), diff=str(diff), inspection=BUNDLE)
        phase.bundle()
        phase.window.show_page("inspect")
        page = phase.window.stack.page("inspect")
        until(lambda: page.inspection is not None)  # type: ignore[attr-defined]
        tab = page.tabs.graph  # type: ignore[attr-defined]
        tab.model.clear()
        live(0.5)
        gc.collect()
        model, canvas = tab.model, tab.view.canvas
        with phase.act(f"{kind}: open"):
            page.tabs.show_tab("graph")
            model.open("/b", "decode")
            until(lambda: model.scene is not None and not model.busy)
        with phase.act(f"{kind}: every scope"):
            tab.navigation.open_all()
            until(lambda: not model.busy)
        with phase.act(f"{kind}: pan, zoom, fit"):
            canvas.fit()
            live(0.1)
            for scale in (0.1, 0.3, 1.0):
                canvas.zoom_to(scale)
                live(0.05)
                for _ in range(10):
                    canvas.pan(9, -23)
                    live(0.01)
            canvas.fit()
        with phase.act(f"{kind}: search"):
            for words in ("m", "mul", "layers.1", "nothing"):
                tab.node_search.field.setText(words)
                live(0.4)
            tab.node_search.field.setText("")
        with phase.act(f"{kind}: select"):
            for key in (phase.nodes // 2, 3, ""):
                model.select(key)
                live(0.1)
        for on in (not model.folds, model.folds):
            with phase.act(f"{kind}: folds {on}"):
                model.set_folds(on)
                until(lambda: not model.busy)
        with phase.act(f"{kind}: difference"):
            model.compare(GraphReference("/b", "decode", "export"))
            until(lambda: model.diff is not None and not model.busy)
        with phase.act(f"{kind}: alone again"):
            model.compare(None)
            until(lambda: model.diff is None and not model.busy)
        with phase.act(f"{kind}: saved as PNG", 2.0):
            tab.saver.save(phase.home / "graph.png", True)

    return run


def chat(phase: Phase) -> None:
    """A conversation of 2,000 messages is opened, scrolled, and gets a reply."""
    phase.open(reply=REPLY, tokens=200, rate=200)
    phase.bundle()
    window = phase.window
    window.show_page("chat")
    page = window.stack.page("chat")
    until(lambda: page.session.state == "ready")  # type: ignore[attr-defined]
    conversation = page.controller.chat  # type: ignore[attr-defined]
    for number in range(1000):
        asked = conversation.ask(f"Question {number}?")
        reply = conversation.begin_reply(asked.id)
        reply.content = REPLY[: 60 + number % 400]
    with phase.act("chat of 2,000 shown", 1.0):
        page.controller.reset.emit()  # type: ignore[attr-defined]
    with phase.act("scrolled through"):
        bar = page.transcript.verticalScrollBar()  # type: ignore[attr-defined]
        for part in range(0, 21):
            bar.setValue(bar.maximum() * part // 20)
            live(0.05)
    with phase.act("a reply in it"):
        page.send("And then?")  # type: ignore[attr-defined]
        live(0.3)
        until(lambda: not window.context.session.busy)


def charts(phase: Phase) -> None:
    """The charts while a reply comes, and the history of 1,000 runs."""
    history(phase.home, 1000, 100)
    phase.open(reply=REPLY, tokens=1500, rate=200)
    phase.bundle()
    window = phase.window
    window.show_page("chat")
    until(lambda: window.context.session.state == "ready")
    window.show_page("measure")
    page = window.stack.page("measure")
    live(1.0)
    with phase.act("charts during a reply"):
        window.context.session.generate("And then?")
        live(0.2)
        until(lambda: not window.context.session.busy)
    with phase.act("charts exported as PNG"):
        page.speed.exporter.export(phase.home / "charts.png")  # type: ignore[attr-defined]
    with phase.act("history of 1,000 runs"):
        page.tabs.setCurrentWidget(page.history)  # type: ignore[attr-defined]
        until(lambda: window.context.history.loaded)
        live(0.5)
    with phase.act("all of it selected"):
        page.history.table.selectAll()  # type: ignore[attr-defined]
        live(0.5)


PHASES: dict[str, Callable[[Phase], None]] = {
    "start": start,
    "idle": idle,
    "pages": pages,
    "theme": theme,
    "graph": graphs(decoder_graph, "decoder"),
    "flat": graphs(flat_graph, "flat"),
    "chat": chat,
    "charts": charts,
}


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PHASES, default=list(PHASES))
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--where", type=float, default=0.0)
    parser.add_argument("--phase", choices=PHASES, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.phase:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            phase = Phase(Path(folder), asked.nodes, asked.where)
            PHASES[asked.phase](phase)
            phase.close()
            sys.stdout.flush()
            os._exit(0)
    given = ["--nodes", str(asked.nodes), "--where", str(asked.where)]
    for name in asked.only:
        sys.stdout.write(f"{name}, load {os.getloadavg()[0]:.1f}\n")
        sys.stdout.flush()
        subprocess.run([sys.executable, "-m", "tests.benchmarks.stalls", "--phase", name, *given], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

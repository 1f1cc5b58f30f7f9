"""Done ahead, once the window is seen: what the first click on a page would otherwise wait for.

    first picture ──▶ a thread imports libraries and pages ──▶ build a page, settle ──▶ build a part of it, settle ──▶ …

Imports take seconds and touch nothing of Qt's: the window's thread gets its turn between any two of their steps.
Widgets can be made in that thread alone: a slice a turn of the event loop with a breath between, so that a click never
waits for more than one of them.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from importlib import import_module

from PySide6.QtCore import QObject, QTimer

FIRST_MS = 150
"""From the first picture to the first slice."""
PAUSE_MS = 20
"""Between two slices."""
TURN_S = 0.0005
"""How soon the importing thread makes room for the window's."""

SLOW_IMPORTS = (
    "workflows.bundle.read",
    "numpy",
    "pyqtgraph",
    "psutil",
    "app.measure.charts.speed_plots",
    "app.measure.charts.plot_image",
    "app.graph_scene.level_reader",
    "app.inspect.graph.graph_view",
    "app.inspect.graph.graph_tab",
    "app.inspect.kv_cache_tab",
)
"""What opening the first bundle, drawing the first chart and looking into the first graph would wait for."""

Slice = Callable[[], object]


class ModulePreloader:
    """Imports modules in a thread of its own.

    Meanwhile nothing collects garbage: a thread that took a widget apart, because it came upon it, would crash it.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._names = deque[str]()

    @property
    def busy(self) -> bool:
        """Whether it is at work."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, names: Iterable[str]) -> None:
        """Begins."""
        self._names.extend(names)
        self._collected, self._turn = gc.isenabled(), sys.getswitchinterval()
        gc.disable()
        sys.setswitchinterval(TURN_S)
        self._thread = threading.Thread(target=self._work, name="imports", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while self._names:
            import_module(self._names.popleft())

    def end(self) -> None:
        """Leaves out what is left, and waits for what is being imported."""
        thread, self._thread = self._thread, None
        self._names.clear()
        if thread is not None:
            thread.join()
            gc.freeze()  # 150,000 objects, and 400 of them garbage: it would take 90 ms to find those
            sys.setswitchinterval(self._turn)
            if self._collected:
                gc.enable()


def freeze_garbage() -> None:
    """Takes what came since the last time out of the garbage collector's sight: looking it all through takes 70 ms."""
    gc.collect()
    gc.freeze()


class Preloader(QObject):
    """Imports, runs slices one after another, and settles after each; `stop` leaves out what is left."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self._importer = ModulePreloader()
        self._slices = deque[Slice]()
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._next)

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return not self._slices

    def start(self, slices: Iterable[Slice], modules: Iterable[str] = ()) -> None:
        """The modules are imported soon, then comes the first slice."""
        self._names = list(modules)
        self._slices.extend(slices)
        self._timer.start(FIRST_MS)

    def next(self, slices: Iterable[Slice]) -> None:
        """These come before what is left."""
        self._slices.extendleft(reversed(list(slices)))

    def stop(self) -> None:
        """No further slice."""
        self._timer.stop()
        self._names.clear()
        self._slices.clear()
        self._importer.end()

    def _next(self) -> None:
        if self._names:
            names, self._names = self._names, []
            self._importer.start(names)
        elif not self._importer.busy:
            self._importer.end()
            if self._slices:
                self._slices.popleft()()
                freeze_garbage()
        if self._slices:
            self._timer.start(PAUSE_MS)

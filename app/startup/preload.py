"""Imports modules and builds pages in advance, once the window is visible, so that the first click does not wait.

    first picture ──▶ a thread imports PLAIN_IMPORTS ──▶ slices: QT_CLASSES, QT_IMPORTS, a page, a part of it, …

The thread imports nothing of Qt: PySide creates a class when it is first read from its module, and two threads that do
so at once crash the process. What imports Qt, and widgets themselves, is made in the window's thread: one slice per
turn of the event loop with a pause between, so that a click waits for one slice at most.
"""

from __future__ import annotations

import builtins
import gc
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module

from PySide6.QtCore import QObject, QTimer

FIRST_MS = 150
"""From the first picture to the first slice."""
PAUSE_MS = 20
"""Between two slices."""
TURN_S = 0.0005
"""The switch interval while modules are imported: how soon the importing thread yields to the window's."""

PLAIN_IMPORTS = (
    "workflows.bundle.read",
    "numpy",
    "numpy.ma",
    "psutil",
    "workflows.common.stage_cache",
    "workflows.inspection.picture.svg",
    "workflows.measure.pareto_front",
    "workflows.measure.sweep_folder",
    "workflows.wire.generation_options",
    "workflows.wire.reports.goal",
    "app.graph_scene.level_reader",
    "wave",
    # what pyqtgraph imports
    "cProfile",
    "colorama",
    "multiprocessing.connection",
    "numpy.typing",
    "pydoc",
)
"""What opening the first bundle, drawing the first chart and viewing the first graph would otherwise import, without
what imports Qt."""

QT_CLASSES = ("PySide6.QtTest", "PySide6.QtOpenGLWidgets", "PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets")
"""pyqtgraph reads every class of these, which takes half of its import: a slice for each module."""

QT_IMPORTS = (
    "pyqtgraph",
    "app.measure.charts.speed_plots",
    "app.measure.charts.plot_image",
    "app.inspect.graph.graph_view",
    "app.inspect.graph.graph_tab",
    "app.inspect.kv_cache_tab",
    "app.builder.source_page",
    "app.builder.recipe_page",
    "app.builder.quantize_page",
    "app.chat.transcript",
    "app.chat.composer",
    "app.chat.settings_panel",
    "app.chat.tasks.depth_view",
)
"""Parts of pages whose import takes longest, each after those that it imports."""

Slice = Callable[[], object]


class ModulePreloader:
    """Imports modules in a thread: without Qt, and without garbage collection, which could destroy a widget there."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._names = deque[str]()

    @property
    def busy(self) -> bool:
        """Whether the thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, names: Iterable[str]) -> None:
        """Starts importing."""
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
        """Drops the modules that are not imported yet, and waits for the one that is."""
        thread, self._thread = self._thread, None
        self._names.clear()
        if thread is not None:
            thread.join()
            gc.freeze()  # collecting 400 of 150,000 objects would take 90 ms
            sys.setswitchinterval(self._turn)
            if self._collected:
                gc.enable()


def import_without_features() -> None:
    """Gives back Python's own import in place of PySide's, which reads the source of each module for its features.

    While it reads, it asks each module for `__wrapped__`; pydantic answers by importing another of its modules. Where
    the window imported at the same time as the thread, that one was half made, and importing pydantic failed.
    """
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


def create_classes(name: str) -> None:
    """Has PySide create every class of one of its modules."""
    module = import_module(name)
    for attribute in dir(module):
        getattr(module, attribute)


def import_slices(pages: Iterable[str]) -> list[Slice]:
    """What imports Qt, for the window's thread; pages: the modules of the pages."""
    classes = [partial(create_classes, name) for name in QT_CLASSES]
    return [*classes, *(partial(import_module, name) for name in (*QT_IMPORTS, *pages))]


def freeze_garbage() -> None:
    """Hides existing objects from the garbage collector: examining them all takes 70 ms."""
    gc.collect()
    gc.freeze()


class Preloader(QObject):
    """Imports modules, then runs slices one after another, freezing garbage after each."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self._importer = ModulePreloader()
        self._slices = deque[Slice]()
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._next)

    @property
    def done(self) -> bool:
        """Whether no slice is left."""
        return not self._slices

    def start(self, slices: Iterable[Slice], modules: Iterable[str] = ()) -> None:
        """Imports the modules, which import nothing of Qt, in a thread; then runs the slices."""
        self._names = list(modules)
        self._slices.extend(slices)
        self._timer.start(FIRST_MS)

    def next(self, slices: Iterable[Slice]) -> None:
        """Runs these slices before the remaining ones."""
        self._slices.extendleft(reversed(list(slices)))

    def stop(self) -> None:
        """Drops the remaining slices."""
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

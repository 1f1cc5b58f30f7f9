"""What is done ahead: in order, one a turn and settled, what is put in between first; stopping leaves the rest out.

And what the thread imports: nothing of Qt, each module in a fresh interpreter.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from app.main import PAGES
from app.startup import preload
from app.startup.preload import PLAIN_IMPORTS, Preloader


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done, "." where it was settled; the garbage collector is left alone."""
    made = list[str]()
    monkeypatch.setattr(preload, "freeze_garbage", lambda: made.append("."))
    monkeypatch.setattr(preload, "FIRST_MS", 0)
    return made


@pytest.fixture
def warm(qtbot: Any) -> Preloader:
    made = Preloader()
    made._timer.setInterval(0)
    return made


def slices(done: list[str], *names: str) -> list[preload.Slice]:
    return [partial(done.append, name) for name in names]


def test_slices_come_in_their_order_and_are_settled_one_by_one(qtbot: Any, warm: Preloader, done: list[str]) -> None:
    assert warm.done
    warm.start(slices(done, "numpy", "page", "build"))
    assert not warm.done and done == []  # nothing before the window is seen
    qtbot.waitUntil(lambda: warm.done)
    assert done == ["numpy", ".", "page", ".", "build", "."]


def test_what_a_page_has_of_its_own_comes_before_what_is_left(qtbot: Any, warm: Preloader, done: list[str]) -> None:
    first = partial(warm.next, slices(done, "one", "two"))
    warm.start([first, *slices(done, "other page")])
    qtbot.waitUntil(lambda: warm.done)
    assert done == [".", "one", ".", "two", ".", "other page", "."]


def test_stopping_in_the_middle_leaves_out_what_is_left(qtbot: Any, warm: Preloader, done: list[str]) -> None:
    warm.start([*slices(done, "one"), warm.stop, *slices(done, "two")])
    qtbot.waitUntil(lambda: warm.done)
    assert done == ["one", ".", "."]
    warm._next()  # a turn that was under way
    assert done == ["one", ".", "."] and warm.done


def test_one_slice_a_turn(warm: Preloader, done: list[str]) -> None:
    warm.start(slices(done, "one", "two"))
    warm._next()
    assert done == ["one", "."] and not warm.done and warm._timer.isActive()
    warm.stop()


IMPORTS_OF_QT = """
import json, sys
from importlib import import_module
import app

qt = {}
for name in sys.argv[1:]:
    before = set(sys.modules)
    import_module(name)
    packages = {one.partition(".")[0] for one in set(sys.modules) - before}
    qt[name] = sorted(packages & {"PySide6", "shiboken6", "pyqtgraph"})
print(json.dumps(qt))
"""

MODULES_OF_SLICES = """
import json, sys
import app.main
from importlib import import_module
from app.startup.preload import PLAIN_IMPORTS, import_slices

counts = {}
for name in PLAIN_IMPORTS:
    import_module(name)
for run in import_slices(sys.argv[1:]):
    before = set(sys.modules)
    run()
    counts[run.args[0]] = [sum(one.startswith(head) for one in set(sys.modules) - before) for head in ("app.", "work")]
print(json.dumps(counts))
"""


def run_apart(code: str, names: Sequence[str]) -> dict[str, Any]:
    """What the code prints in an interpreter that has imported nothing."""
    done = subprocess.run([sys.executable, "-c", code, *names], stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_thread_imports_nothing_of_qt() -> None:
    found = run_apart(IMPORTS_OF_QT, PLAIN_IMPORTS)
    assert found == {name: [] for name in PLAIN_IMPORTS}, "goes into QT_IMPORTS, which the window's thread imports"


@pytest.mark.parametrize(
    ("name", "qt"), [("pyqtgraph", ["PySide6", "pyqtgraph", "shiboken6"]), ("app.chat.intents", [])]
)
def test_the_walk_sees_what_imports_qt(name: str, qt: list[str]) -> None:
    assert run_apart(IMPORTS_OF_QT, [name]) == {name: qt}


def test_no_slice_imports_a_page_whole() -> None:
    """A module takes about a millisecond; the engine's were imported by the thread before."""
    pages = [page.factory.partition(":")[0] for page in PAGES]
    counts = run_apart(MODULES_OF_SLICES, pages)
    assert set(pages) <= counts.keys()
    assert max(own for own, _ in counts.values()) <= 30, counts
    assert max(engine for _, engine in counts.values()) <= 2, counts


def test_modules_are_imported_in_the_thread_and_slices_in_the_windows(
    qtbot: Any, warm: Preloader, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = dict[str, str]()
    current = preload.threading.current_thread
    monkeypatch.setattr(preload, "import_module", lambda name: threads.update({name: current().name}))
    warm.start([lambda: preload.create_classes("a slice")], ["plain"])
    qtbot.waitUntil(lambda: warm.done)
    assert threads == {"plain": "imports", "a slice": "MainThread"}


def test_every_class_of_a_module_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[str]()

    class Lazy:
        def __dir__(self) -> list[str]:
            return ["One", "Two"]

        def __getattr__(self, name: str) -> str:
            read.append(name)
            return name

    monkeypatch.setattr(preload, "import_module", lambda _: Lazy())
    preload.create_classes("PySide6.QtGui")
    assert read == ["One", "Two"]


def test_pyside_reads_no_module_that_is_imported() -> None:
    """Else two threads that import pydantic at once may fail; in a fresh interpreter, after other modules of Qt."""
    code = (
        "from app.main import application; application(); import inspect\n"
        "read = []; inspect.getsource = lambda module: read.append(module) or ''\n"
        "import PySide6.QtTest, xmlrpc.client, pydantic; print(len(read))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
